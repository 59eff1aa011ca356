package dev.spur.runtime.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateRenewalTest {
    @TempDir Path directory;

    private final Instant now = Instant.now();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger reconnected = new AtomicInteger();
    private ClusterCa ca;
    private HostIdentity identity;

    @BeforeEach
    void join() throws Exception {
        ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.fixed(now));
        identity = joined();
    }

    @Test
    void whatAnotherDaemonOfTheHostGotWithANewTokenIsTakenOver() {
        var renewal = renewal();
        renewal.look(now);
        assertThat(reconnected).hasValue(0);

        var anew = joined();
        renewal.look(now);

        assertThat(identity.certificate()).isEqualTo(anew.certificate());
        assertThat(reconnected).hasValue(1);
        assertThat(asked).hasValue(0);
    }

    @Test
    void certificateThatIsJustBeingReplacedIsLeftAlone() throws Exception {
        var before = identity.certificate();
        Files.delete(directory.resolve("identity/cert.pem"));

        renewal().look(now);

        assertThat(identity.certificate()).isEqualTo(before);
        assertThat(reconnected).hasValue(0);
    }

    @Test
    void certificateThatEndsSoonIsRenewedByWhicheverControllerDoes() {
        var before = identity.certificate();

        renewal(this::refuse, this::babble, this::renew).look(soonOver());

        assertThat(identity.certificate()).isNotEqualTo(before);
        assertThat(HostIdentity.load(directory.resolve("identity")).certificate())
                .isEqualTo(identity.certificate());
        assertThat(asked).hasValue(3);
        assertThat(reconnected).hasValue(1);
    }

    @Test
    void whatCannotBeRenewedNowIsTriedAgainInAnHour() {
        var before = identity.certificate();
        var renewal = renewal(this::refuse);

        renewal.look(soonOver());
        renewal.look(soonOver().plusSeconds(10));
        assertThat(asked).hasValue(1);
        renewal.look(soonOver().plus(Duration.ofHours(1)));

        assertThat(asked).hasValue(2);
        assertThat(identity.certificate()).isEqualTo(before);
        assertThat(reconnected).hasValue(0);
    }

    private Instant soonOver() {
        return now.plus(ClusterCa.HOST_VALIDITY.multipliedBy(3).dividedBy(4));
    }

    private byte[] refuse(byte[] request) {
        asked.incrementAndGet();
        throw new IdentityException("this controller does not answer");
    }

    private byte[] babble(byte[] request) {
        asked.incrementAndGet();
        return "no certificate".getBytes(UTF_8);
    }

    private byte[] renew(byte[] request) {
        asked.incrementAndGet();
        try {
            return ca.issue("login1", HostRole.LOGIN, request).getEncoded();
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private HostIdentity joined() {
        return ca.createIdentity(directory.resolve("identity"), "login1", HostRole.LOGIN);
    }

    @SafeVarargs
    private final CertificateRenewal renewal(UnaryOperator<byte[]>... controllers) {
        return new CertificateRenewal(
                identity,
                List.of(controllers),
                reconnected::incrementAndGet,
                InstantSource.fixed(now));
    }
}
