package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostCertificateTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir Path directory;
    private ClusterCa ca;

    @BeforeEach
    void makeTheCa() {
        ca = ClusterCa.openOrCreate(directory.resolve("state"), "test", InstantSource.fixed(NOW));
    }

    @Test
    void caIsMadeOnceAndThenTheSame() {
        var again =
                ClusterCa.openOrCreate(
                        directory.resolve("state"), "test", InstantSource.fixed(NOW));

        assertThat(again.fingerprint()).isEqualTo(ca.fingerprint()).hasSize(64);
    }

    @Test
    void keysAreReadableByTheirOwnerOnly() throws IOException {
        var identity = ca.createIdentity(directory.resolve("host"), "n1", HostRole.COMPUTE);

        assertThat(mode(directory.resolve("state/ca"))).isEqualTo("rwx------");
        assertThat(mode(directory.resolve("state/ca/key.pem"))).isEqualTo("rw-------");
        assertThat(mode(identity.directory())).isEqualTo("rwx------");
        assertThat(mode(identity.directory().resolve("key.pem"))).isEqualTo("rw-------");
    }

    @Test
    void keyThatOthersCanReadIsRefusedWithTheRemedy() throws IOException {
        var key =
                ca.createIdentity(directory.resolve("host"), "n1", HostRole.COMPUTE)
                        .directory()
                        .resolve("key.pem");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> HostIdentity.load(directory.resolve("host")))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void certificateSaysWhichHostItIsAndInWhichRole() {
        var keys = HostKeys.create();

        var certificate =
                ca.issue("n1", HostRole.COMPUTE, keys.certificateRequest("somebody-else"));

        var peer = PeerHost.of(certificate);
        assertThat(peer.host()).isEqualTo("n1");
        assertThat(peer.role()).isEqualTo(HostRole.COMPUTE);
        assertThat(peer.serial()).isEqualTo(certificate.getSerialNumber());
    }

    @Test
    void hostKeepsItsIdentityAcrossRestarts() {
        var keys = HostKeys.create();
        var certificate =
                Pem.der(ca.issue("login1", HostRole.LOGIN, keys.certificateRequest("login1")));
        var stored =
                HostIdentity.store(
                        directory.resolve("host"), keys, certificate, ca.certificateBytes());

        var loaded = HostIdentity.load(directory.resolve("host"));

        assertThat(loaded.self()).isEqualTo(stored.self());
    }

    @Test
    void hostThatNeverJoinedIsToldHow() {
        assertThatThrownBy(() -> HostIdentity.load(directory.resolve("nothing")))
                .hasMessageContaining("--token TOKEN");
    }

    @Test
    void certificateOfAnotherClusterIsNotStored() {
        var other =
                ClusterCa.openOrCreate(
                        directory.resolve("other"), "other", InstantSource.fixed(NOW));
        var keys = HostKeys.create();
        var certificate =
                Pem.der(other.issue("n1", HostRole.COMPUTE, keys.certificateRequest("n1")));

        assertThatThrownBy(() ->
                        HostIdentity.store(
                                directory.resolve("host"),
                                keys,
                                certificate,
                                ca.certificateBytes()))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("not issued by the cluster's CA");
    }

    @Test
    void certificateRequestThatIsGarbageIsRefused() {
        assertThatThrownBy(() -> ca.issue("n1", HostRole.COMPUTE, new byte[] {1, 2, 3}))
                .isInstanceOf(IdentityException.class);
    }

    @Test
    void hostNameThatNoHostCanHaveIsRefused() {
        assertThatThrownBy(() ->
                        ca.createIdentity(
                                directory.resolve("host"), "n1 spur:role:admin", HostRole.COMPUTE))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("is not a host name");
    }

    @Test
    void certificateIsDueForRenewalInItsLastThird() {
        var identity = ca.createIdentity(directory.resolve("host"), "n1", HostRole.COMPUTE);

        assertThat(identity.isDueForRenewal(NOW.plus(Duration.ofDays(59)))).isFalse();
        assertThat(identity.isDueForRenewal(NOW.plus(Duration.ofDays(61)))).isTrue();
    }

    @Test
    void renewalKeepsHostAndRoleUnderANewSerialAlsoOnDisk() {
        var identity = ca.createIdentity(directory.resolve("host"), "n1", HostRole.COMPUTE);
        var before = identity.self();

        identity.renew(Pem.der(ca.issue(before.host(), before.role(), identity.renewalRequest())));

        assertThat(identity.self().host()).isEqualTo("n1");
        assertThat(identity.self().role()).isEqualTo(HostRole.COMPUTE);
        assertThat(identity.self().serial()).isNotEqualTo(before.serial());
        assertThat(HostIdentity.load(directory.resolve("host")).self()).isEqualTo(identity.self());
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
