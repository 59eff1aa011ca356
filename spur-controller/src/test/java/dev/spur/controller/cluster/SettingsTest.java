package dev.spur.controller.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountsChange;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.Role;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.Roles;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SettingsTest {
    private static final PeerHost ADMIN_HOST =
            new PeerHost("admin1", HostRole.ADMIN, BigInteger.ONE);

    @Test
    void administratorsAreThoseOfTheLogWhateverTheFileOfThisControllerSays() {
        var agreed = agreed(ClusterConfigMapper.toModel(file("alice").config()));
        var settings =
                new Settings(file("bob").config(), ConfigFile.DEFAULT_PATH, () -> file("bob"), 0);

        assertThat(role(settings, agreed, 1001, "alice")).isEqualTo(Role.ADMIN);
        assertThat(role(settings, agreed, 1002, "bob")).isEqualTo(Role.USER);
    }

    @Test
    void adminLevelOfAccountingCountsLikeTheConfiguration() {
        var state = new ClusterState();
        state.apply(
                new Command.ChangeAccounts(
                        Instant.EPOCH,
                        "",
                        Actor.CLUSTER,
                        List.of(
                                new AccountsChange.AddUsers(
                                        List.of("olga"),
                                        List.of("root"),
                                        List.of(),
                                        List.of(new AccountSetting.SetAdminLevel(Role.OPERATOR)))),
                        0));
        var settings =
                new Settings(file("bob").config(), ConfigFile.DEFAULT_PATH, () -> file("bob"), 0);

        assertThat(role(settings, state.publish(), 1001, "olga")).isEqualTo(Role.OPERATOR);
        assertThat(
                        settings.roles(state.publish())
                                .vouched(
                                        new PeerHost("l", HostRole.LOGIN, BigInteger.ONE),
                                        7,
                                        "olga"))
                .isEqualTo(new Roles.Accepted(Role.USER));
    }

    private static Snapshot agreed(ClusterConfig config) {
        var state = new ClusterState();
        state.apply(new Command.ApplyConfig(Instant.EPOCH, "", Actor.CLUSTER, config));
        return state.publish();
    }

    private static Role role(Settings settings, Snapshot agreed, int uid, String user) {
        return ((Roles.Accepted) settings.roles(agreed).vouched(ADMIN_HOST, uid, user)).role();
    }

    private static ConfigFile file(String admin) {
        return ConfigFile.parse(
                """
                cluster_name = "test"
                [auth]
                admins = ["%s"]
                """
                        .formatted(admin));
    }
}
