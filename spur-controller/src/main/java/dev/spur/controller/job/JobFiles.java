package dev.spur.controller.job;

import dev.spur.engine.job.Job;
import dev.spur.engine.step.Step;
import dev.spur.model.notation.FileNamePattern;
import dev.spur.model.notation.FileNamePattern.ArrayTask;
import org.jspecify.annotations.Nullable;

/// Where the standard streams of a batch job or a step are, as their first node names them.
public final class JobFiles {
    private static final int NO_INDEX = 0xffff_fffe; // Slurm's, for tasks of an array that wait

    private JobFiles() {}

    public static String output(Job job) {
        var launch = job.spec().launch();
        var pattern =
                launch.stdOut().isEmpty()
                        ? (job.array() == null ? "slurm-%j.out" : "slurm-%A_%a.out")
                        : launch.stdOut();
        return batch(job, pattern);
    }

    public static String error(Job job) {
        var launch = job.spec().launch();
        return launch.stdErr().isEmpty() ? output(job) : batch(job, launch.stdErr());
    }

    static String input(Job job) {
        var launch = job.spec().launch();
        return launch.stdIn().isEmpty() ? "/dev/null" : batch(job, launch.stdIn());
    }

    /// A file of a step's, by its pattern, as the step's first node names it.
    public static String ofStep(Job job, Step step, String pattern) {
        return file(job, step, step.nodes().getFirst().node(), pattern);
    }

    private static String batch(Job job, String pattern) {
        var placement = job.phase().placementOrNull();
        return file(job, null, placement == null ? "" : placement.first().node(), pattern);
    }

    private static String file(Job job, @Nullable Step step, String node, String pattern) {
        var array = job.array();
        var task =
                array == null
                        ? null
                        : new ArrayTask(
                                array.array().value(),
                                array.split() ? array.tasks().min() : NO_INDEX);
        var name =
                new FileNamePattern(pattern)
                        .expand(
                                new FileNamePattern.Values(
                                        job.id().value(),
                                        task,
                                        step == null ? null : step.id().value(),
                                        node,
                                        0,
                                        0,
                                        job.spec().owner().userName(),
                                        job.spec().name(),
                                        job.attempts().restarts()));
        return name.startsWith("/") ? name : job.spec().launch().workDir() + "/" + name;
    }
}
