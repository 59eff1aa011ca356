package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.WrittenLog;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupsTest {
    @TempDir Path mount;

    @Test
    void hostThatKeepsNoJobToItsLimitsWarnsOfIt() {
        try (var log = WrittenLog.of(Cgroups.class)) {
            Cgroups.detect(mount, "node1");

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "WARN jobs are not kept to their memory, processors and devices: there are no control groups node=node1 limits=none: ");
        }
    }
}
