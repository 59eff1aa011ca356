package dev.spur.controller.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.ClusterConfig;
import dev.spur.model.Role;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import dev.spur.runtime.identity.Roles;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

final class SettingsTest {
    private static final PeerHost ADMIN_HOST =
            new PeerHost("admin1", HostRole.ADMIN, BigInteger.ONE);

    @Test
    void administratorsAreThoseOfTheLogWhateverTheFileOfThisControllerSays() {
        var agreed = ClusterConfigMapper.toModel(file("alice").config());
        var settings =
                new Settings(file("bob").config(), ConfigFile.DEFAULT_PATH, () -> file("bob"), 0);

        assertThat(role(settings, agreed, 1001, "alice")).isEqualTo(Role.ADMIN);
        assertThat(role(settings, agreed, 1002, "bob")).isEqualTo(Role.USER);
    }

    private static Role role(Settings settings, ClusterConfig agreed, int uid, String user) {
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
