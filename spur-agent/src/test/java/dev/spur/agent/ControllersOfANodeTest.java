package dev.spur.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.process.Flags;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ControllersOfANodeTest {
    private static List<String> asks(Map<String, String> environment, String... arguments) {
        var config =
                ConfigFile.parse(
                                """
                                cluster_name = "test"
                                [controller]
                                hosts = ["ctl1", "ctl2:7817"]
                                """)
                        .config();
        return new Spurd(environment)
                .controllers(Flags.parse(Spurd.FLAGS, arguments), config).stream()
                        .map(HostAndPort::toString)
                        .toList();
    }

    @Test
    void areThoseOfTheConfigurationAsForTheCommandsBesideIt() {
        assertThat(asks(Map.of())).containsExactly("ctl1:6817", "ctl2:7817");
    }

    @Test
    void areThoseThatWereSaidIfAnyWere() {
        assertThat(asks(Map.of("SPUR_CONTROLLER_ADDR", "http://ctl8:6817,ctl9")))
                .containsExactly("ctl8:6817", "ctl9:6817");
        assertThat(asks(Map.of("SPUR_CONTROLLER_ADDR", "ctl8"), "--controller", "ctl7"))
                .containsExactly("ctl7:6817");
    }
}
