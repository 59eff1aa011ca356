package dev.spur.cli.submission;

import static dev.spur.cli.submission.JobOptions.GPUS;
import static dev.spur.cli.submission.JobOptions.GPUS_PER_NODE;
import static dev.spur.cli.submission.JobOptions.GPUS_PER_TASK;
import static dev.spur.cli.submission.JobOptions.GRES;
import static dev.spur.cli.submission.JobOptions.NTASKS_PER_GPU;

import dev.spur.cli.options.Arguments;
import dev.spur.model.notation.GresRequest;
import java.util.Optional;

/// How many tasks there are if nobody gave their number but it follows from the GPUs (sbatch(1),
/// `--gpus-per-task`, `--ntasks-per-gpu`). The controller counts in the same way.
public final class TasksOfGpus {
    private static final String GPU = "gpu";

    private TasksOfGpus() {}

    /// Empty if the GPUs say nothing about tasks.
    public static Optional<Integer> of(Arguments arguments, int nodes) {
        var gpus = gpus(arguments, nodes);
        var perTask = arguments.get(GPUS_PER_TASK, GresRequest.NONE).count(GPU);
        long perGpu = arguments.get(NTASKS_PER_GPU, 0);
        var tasks = perTask > 0 ? gpus / perTask : gpus * perGpu;
        return tasks > 0 ? Optional.of(Math.clamp(tasks, 1, Integer.MAX_VALUE)) : Optional.empty();
    }

    private static long gpus(Arguments arguments, int nodes) {
        var ofJob = arguments.get(GPUS, GresRequest.NONE).count(GPU);
        var ofNode =
                arguments.get(GPUS_PER_NODE, GresRequest.NONE).count(GPU)
                        + arguments.get(GRES, GresRequest.NONE).count(GPU);
        return ofJob > 0 ? ofJob : nodes * ofNode;
    }
}
