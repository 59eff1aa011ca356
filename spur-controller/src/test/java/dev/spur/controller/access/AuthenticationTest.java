package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.model.Actor;
import dev.spur.model.Role;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.Roles;
import dev.spur.runtime.identity.SigningKeys;
import dev.spur.runtime.identity.Tokens;
import io.grpc.Metadata;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthenticationTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
    private static final PeerHost LOGIN =
            new PeerHost("login1", HostRole.LOGIN, BigInteger.valueOf(11));
    private static final PeerHost COMPUTE =
            new PeerHost("node1", HostRole.COMPUTE, BigInteger.valueOf(12));
    private static final PeerHost ADMIN =
            new PeerHost("admin1", HostRole.ADMIN, BigInteger.valueOf(13));
    private static final CallerIdentity ROOT = new CallerIdentity.Vouched(0, 0, "root", List.of(0));
    private static final CallerIdentity ALICE =
            new CallerIdentity.Vouched(1002, 1002, "alice", List.of(1002, 7));

    @TempDir Path directory;

    private final ClusterState state = new ClusterState();
    private final Set<String> revoked = new HashSet<>();
    private Tokens tokens;
    private Authentication authentication;

    @BeforeEach
    void open() {
        tokens =
                new Tokens(
                        SigningKeys.openOrCreate(directory, NOW),
                        null,
                        InstantSource.fixed(NOW),
                        revoked::contains);
        authentication =
                new Authentication(
                        () -> new Roles(List.of("carol"), List.of("olga"), 0),
                        tokens,
                        state::snapshot,
                        name ->
                                name.equals("alice")
                                        ? Optional.of(new Authentication.Account(1002, 50, "alice"))
                                        : Optional.empty());
    }

    @Test
    void whoHasNeitherCertificateNorTokenIsAStranger() {
        assertThat(authentication.identify(null, new Metadata())).isEqualTo(new Caller.Stranger());
    }

    @Test
    void aHostThatNamesNobodySpeaksForItself() {
        assertThat(authentication.identify(LOGIN, new Metadata()))
                .isEqualTo(new Caller.Host(LOGIN));
    }

    @Test
    void aHostOfTheClusterSaysWhoItsUsersAre() {
        assertThat(identify(LOGIN, ALICE))
                .isEqualTo(
                        new Caller.Person(
                                new Actor(1002, "alice", "login1", Role.USER, Actor.Origin.DOOR),
                                1002,
                                List.of(1002, 7)));
    }

    @Test
    void withoutACertificateNobodySaysWhoHeIs() {
        assertThatThrownBy(() -> identify(null, ROOT))
                .hasMessageContaining("only a host of the cluster can say who its users are");
    }

    @Test
    void rootOfAnOrdinaryHostIsNotRootOfTheCluster() {
        for (var peer : List.of(LOGIN, COMPUTE)) {
            assertThat(identify(peer, ROOT))
                    .isInstanceOfSatisfying(
                            Caller.RootOfHost.class,
                            root -> assertThat(root.reader().actor().role()).isEqualTo(Role.USER));
        }
    }

    @Test
    void anOrdinaryHostMakesNobodyAnAdministrator() {
        var carol = new CallerIdentity.Vouched(1004, 1004, "carol", List.of());

        assertThat(role(identify(LOGIN, carol))).isEqualTo(Role.USER);
        assertThat(role(identify(ADMIN, carol))).isEqualTo(Role.ADMIN);
        assertThat(role(identify(ADMIN, ROOT))).isEqualTo(Role.ADMIN);
    }

    @Test
    void aTokenNamesItsUserWhoeverBringsIt() {
        var token = bearer(tokens.create("alice", 1002, Duration.ofHours(1)));

        var fromAnywhere = (Caller.Person) identify(null, token);
        var fromANode = (Caller.Person) identify(COMPUTE, token);

        assertThat(fromAnywhere.actor())
                .isEqualTo(new Actor(1002, "alice", "", Role.USER, Actor.Origin.TOKEN));
        assertThat(fromAnywhere.gid()).isEqualTo(50);
        assertThat(fromANode.actor().host()).isEqualTo("node1");
    }

    @Test
    void aTokenThatWasRevokedOrIsNoneIsRefused() {
        var token = tokens.create("alice", 1002, Duration.ofHours(1));
        revoked.add(token.id());

        assertThatThrownBy(() -> identify(ADMIN, bearer(token))).hasMessageContaining("revoked");
        assertThatThrownBy(() -> identify(ADMIN, new CallerIdentity.Bearer("abc")))
                .hasMessageContaining("token");
    }

    @Test
    void aHostWhoseCertificateWasRevokedIsNobodyWhateverElseItBrings() {
        state.apply(new Command.RevokeCertificate(NOW, "", Actor.CLUSTER, "11"));
        state.publish();
        var token = bearer(tokens.create("alice", 1002, Duration.ofHours(1)));

        assertThatThrownBy(() -> authentication.identify(LOGIN, new Metadata()))
                .hasMessageContaining("the certificate of login1 was revoked");
        assertThatThrownBy(() -> identify(LOGIN, ALICE)).hasMessageContaining("was revoked");
        assertThatThrownBy(() -> identify(LOGIN, token)).hasMessageContaining("was revoked");
        assertThat(identify(COMPUTE, ALICE)).isInstanceOf(Caller.Person.class);
    }

    @Test
    void anIdentityThatCannotBeReadIsRefused() {
        var headers = CallerHeaders.of(ALICE);
        headers.discardAll(CallerHeaders.UID);
        headers.put(CallerHeaders.UID, "4294967296");

        assertThatThrownBy(() -> authentication.identify(ADMIN, headers))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void aClusterWithoutRootServesItsOwnUserOnly() {
        var own =
                new Authentication(
                        () -> new Roles(List.of(), List.of(), 1002),
                        tokens,
                        state::snapshot,
                        _ -> Optional.empty());

        assertThat(role(own.identify(ADMIN, CallerHeaders.of(ALICE)))).isEqualTo(Role.ADMIN);
        assertThatThrownBy(() -> own.identify(ADMIN, CallerHeaders.of(ROOT)))
                .hasMessageContaining("is not accepted");
    }

    private Caller identify(@Nullable PeerHost peer, CallerIdentity claim) {
        return authentication.identify(peer, CallerHeaders.of(claim));
    }

    private static Role role(Caller caller) {
        return ((Caller.Person) caller).actor().role();
    }

    private static CallerIdentity bearer(Tokens.Issued token) {
        return new CallerIdentity.Bearer(token.token());
    }
}
