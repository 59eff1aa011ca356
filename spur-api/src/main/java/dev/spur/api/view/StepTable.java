package dev.spur.api.view;

import static dev.spur.api.view.EntityTable.unsigned;

import dev.spur.api.v1.Step;

/// What there is to see of a step that runs.
public final class StepTable {
    public static final EntityTable<Step> STEPS =
            EntityTable.<Step>of("step", "step")
                    .text("id", "step.id", "job and step, as 12.0", StepTable::id)
                    .count("job_id", "", "number of the job", Step::getJobId)
                    .text("name", "step.name", "name", Step::getName)
                    .text("user", "", "name of the owner", Step::getUserName)
                    .count("uid", "", "uid of the owner", Step::getUid)
                    .text("partition", "", "partition", Step::getPartition)
                    .text("state", "", "state", Step::getState)
                    .words("", "state", "", step -> java.util.List.of(step.getState()))
                    .text("nodes", "nodes.range", "nodes", Step::getNodeList)
                    .count("node_count", "nodes.count", "number of nodes", Step::getNumNodes)
                    .count("tasks", "tasks.count", "tasks", Step::getTasks)
                    .count("cpus", "", "CPUs", Step::getCpus)
                    .instant("started_at", "time.start", "when it started", Step::getStartMicros)
                    .number("run_seconds", "time.elapsed", "how long it runs", Step::getRunSeconds)
                    .limit("time_limit", "", "minutes it may run", Step::getTimeLimit)
                    .tres("tres", "tres.allocated", "resources", Step::getTres)
                    .text("gres", "", "devices", Step::getGres)
                    .text("std_out", "", "file of its output", Step::getStdOut)
                    .text("std_err", "", "file of its errors", Step::getStdErr)
                    .text("std_in", "", "file of its input", Step::getStdIn)
                    .build();

    private StepTable() {}

    private static String id(Step step) {
        return unsigned(step.getJobId()) + "." + number(step.getStepId());
    }

    /// The reserved ones have words.
    static String number(int step) {
        return switch (step) {
            case -5 -> "batch";
            case -4 -> "extern";
            case -6 -> "interactive";
            default -> Long.toString(unsigned(step));
        };
    }
}
