package dev.spur.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.StepLimits;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StepPlanLimitsTest {
    private static StepLimits limits(int processesPerCpu, int cpus) {
        var profile =
                new NodeProfile(
                        "node1",
                        "",
                        "",
                        true,
                        "inherit",
                        processesPerCpu,
                        List.of("/dev/gpu0", "/dev/gpu1", "/dev/gpu2"));
        var launch =
                Launches.batch(7, "#!/bin/sh\n")
                        .clearJobNodes()
                        .addJobNodes(Launches.share("node1", cpus, 1, 1));
        return new StepPlanner(profile, _ -> Optional.empty()).batch(launch.build()).limits();
    }

    @Test
    void aJobHasNoDevicesButThoseItWasGiven() {
        assertThat(limits(0, 4).deniedDevices()).containsExactly("/dev/gpu0", "/dev/gpu2");
    }

    @Test
    void aJobMayHaveProcessesInProportionToItsCpusButAlwaysAThousand() {
        assertThat(limits(256, 2).jobProcesses()).isEqualTo(1024);
        assertThat(limits(256, 64).jobProcesses()).isEqualTo(16_384);
        assertThat(limits(1_000_000, 64).jobProcesses()).isEqualTo(1 << 22);
    }

    @Test
    void aSiteMayHaveNoLimitOnProcesses() {
        assertThat(limits(0, 2).jobProcesses()).isZero();
    }
}
