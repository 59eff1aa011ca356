package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.Role;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolesTest {
    private final Roles roles = new Roles(List.of("ada"), List.of("otto"), 0);

    @ParameterizedTest
    @CsvSource({
        "CONTROLLER,    0, root, ADMIN",
        "ADMIN,         0, root, ADMIN",
        "ADMIN,      1000, ada,  ADMIN",
        "LOGIN,      1000, ada,  USER",
        "COMPUTE,    1000, ada,  USER",
        "CONTROLLER, 1001, otto, OPERATOR",
        "LOGIN,      1001, otto, USER",
        "LOGIN,      1002, alice, USER",
        "CONTROLLER, 1002, alice, USER",
    })
    void powersAreBelievedFromControllerAndAdminHostsOnly(
            HostRole host, long uid, String user, Role expected) {
        assertThat(roles.vouched(host(host), uid, user)).isEqualTo(new Roles.Accepted(expected));
    }

    @Test
    void rootOfALoginOrComputeHostIsRefused() {
        assertThat(roles.vouched(host(HostRole.LOGIN), 0, "root"))
                .isInstanceOf(Roles.Refused.class);
        assertThat(roles.vouched(host(HostRole.COMPUTE), 0, "root"))
                .isInstanceOf(Roles.Refused.class);
    }

    @Test
    void hostThatKeepsTheAccountingSpeaksForNobody() {
        assertThat(roles.vouched(host(HostRole.ACCOUNTING), 1002, "alice"))
                .isInstanceOf(Roles.Refused.class);
    }

    @Test
    void tokenGivesItsOwnerTheRoleThatTheOwnerHas() {
        assertThat(roles.token(token("ada", 1000))).isEqualTo(new Roles.Accepted(Role.ADMIN));
        assertThat(roles.token(token("alice", 1002))).isEqualTo(new Roles.Accepted(Role.USER));
    }

    @Test
    void clusterWithoutRootServesItsOwnUserOnlyAndSaysSo() {
        var own = new Roles(List.of(), List.of(), 1000);

        assertThat(own.vouched(host(HostRole.CONTROLLER), 1000, "alice"))
                .isEqualTo(new Roles.Accepted(Role.ADMIN));
        assertThat(own.vouched(host(HostRole.CONTROLLER), 1001, "bob"))
                .isInstanceOfSatisfying(
                        Roles.Refused.class,
                        refused -> assertThat(refused.because()).contains("runs without root"));
        assertThat(own.token(token("bob", 1001))).isInstanceOf(Roles.Refused.class);
    }

    private static PeerHost host(HostRole role) {
        return new PeerHost("h1", role, BigInteger.ONE);
    }

    private static Tokens.Verified token(String user, long uid) {
        return new Tokens.Verified(user, OptionalLong.of(uid), "t1", Instant.MAX);
    }
}
