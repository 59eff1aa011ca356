package dev.spur.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.RememberingInvocation;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoorlessConnectorTest {
    private @TempDir Path directory;

    @Test
    void hostOfAControllerSpeaksWithTheControllersCertificate() throws IOException {
        var state = directory.resolve("state");
        ClusterCa.openOrCreate(state, "test", InstantSource.system())
                .createIdentity(state.resolve("identity"), "ctl", HostRole.CONTROLLER);
        var config =
                Files.writeString(
                        directory.resolve("spur.conf"),
                        "cluster_name = \"test\"\n[controller]\nstate_dir = \"%s\"\n"
                                .formatted(state));

        var in = RememberingInvocation.of("sinfo").with("SPUR_CONF", config.toString());

        assertThat(DoorlessConnector.directory(in)).isEqualTo(state.resolve("identity"));
    }

    @Test
    void identityThatIsNamedIsTheOneThatIsUsed() {
        var in = RememberingInvocation.of("sinfo").with("SPUR_IDENTITY", "/somewhere/else");

        assertThat(DoorlessConnector.directory(in)).isEqualTo(Path.of("/somewhere/else"));
    }

    @Test
    void otherHostsHaveTheirsInTheUsualPlace() {
        var in = RememberingInvocation.of("sinfo").with("SPUR_CONF", "/nowhere/spur.conf");

        assertThat(DoorlessConnector.directory(in)).isEqualTo(Path.of("/etc/spur/identity"));
    }
}
