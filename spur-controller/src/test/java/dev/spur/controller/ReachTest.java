package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import org.junit.jupiter.api.Test;

/// Where a controller listens decides whether its nodes reach it.
class ReachTest {
    private static final String CLUSTER = "cluster_name = \"test\"\n";
    private static final String NODES = CLUSTER + "[[nodes]]\nnames = \"gpu[1-2]\"\n";

    @Test
    void loopbackIsToldAsItIsWithThePortThatIsUsed() {
        assertThat(warning(NODES, "127.0.0.1:7000"))
                .contains("listens on 127.0.0.1:7000")
                .contains("listen_addr = \"[::]:7000\"");
    }

    @Test
    void nothingIsToldWhereNodesReachItOrThereAreNone() {
        assertThat(warning(NODES, "[::]:7000")).isEmpty();
        assertThat(warning(CLUSTER, "127.0.0.1:7000")).isEmpty();
    }

    private static String warning(String file, String listen) {
        return Spurctld.unreachable(
                        ConfigFile.parse(file).config(),
                        HostAndPort.parse(listen, HostAndPort.CONTROLLER_PORT))
                .orElse("");
    }
}
