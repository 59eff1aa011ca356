package dev.spur.cli.sstat;

import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.StepUsageNow;
import dev.spur.cli.format.Units;
import dev.spur.model.StepId;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A line of sstat: a step, or with `--pidformat` its part on one node.
///
/// @param nodes where
/// @param units into which sizes are converted
record StepRow(StepUsageNow step, String nodes, List<Long> pids, Units units) {
    static StepRow of(StepUsageNow step, Units units) {
        var pids =
                step.getPidsList().stream().flatMap(each -> each.getPidsList().stream()).toList();
        return new StepRow(step, step.getNodeList(), pids, units);
    }

    static List<StepRow> ofNodes(StepUsageNow step, Units units) {
        return step.getPidsList().stream()
                .map(each -> new StepRow(step, each.getNode(), each.getPidsList(), units))
                .toList();
    }

    String id() {
        return Integer.toUnsignedString(step.getJobId()) + "." + stepId();
    }

    private StepId stepId() {
        return new StepId(step.getStepId());
    }

    /// Only of steps that srun began can a frequency be asked for.
    String requestedFrequency() {
        return stepId().isReserved() ? "0" : "Unknown";
    }

    String pidList() {
        return pids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /// Missing: no node has said anything yet.
    @Nullable StepUsage usage() {
        return step.hasUsage() ? step.getUsage() : null;
    }
}
