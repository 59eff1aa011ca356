package dev.spur.model;

import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import org.jspecify.annotations.Nullable;

/// Which job a request speaks of: `123`, `123_4`, `123_[1-3,7]`, `123.0`, `123_4.batch`, `123+1`.
///
/// @param tasks of an array; missing: the job, or all tasks
/// @param step missing: the whole job
/// @param component of a heterogeneous job, or -1
public record JobSelector(
        JobId job, @Nullable ArraySpec tasks, @Nullable StepId step, int component) {
    public static JobSelector of(JobId job) {
        return new JobSelector(job, null, null, -1);
    }

    public static JobSelector ofTask(JobId array, int index) {
        return new JobSelector(array, ArraySpec.of(index, index), null, -1);
    }

    public static JobSelector parse(String text) {
        try {
            var dot = text.indexOf('.');
            var step = dot < 0 ? null : StepId.parse(text.substring(dot + 1));
            var job = dot < 0 ? text : text.substring(0, dot);
            var plus = job.indexOf('+');
            var component = plus < 0 ? -1 : Integer.parseUnsignedInt(job.substring(plus + 1));
            job = plus < 0 ? job : job.substring(0, plus);
            var underscore = job.indexOf('_');
            var tasks =
                    underscore < 0 || job.substring(underscore + 1).equals("*")
                            ? null
                            : ArraySpec.parse(job.substring(underscore + 1));
            var id = JobId.of(Long.parseLong(underscore < 0 ? job : job.substring(0, underscore)));
            return new JobSelector(id, tasks, step, component);
        } catch (IllegalArgumentException e) {
            throw new NotationException(
                    text,
                    "a job id",
                    "write a number as squeue shows it, such as 123, 123_4 or 123.0");
        }
    }

    @Override
    public String toString() {
        var task =
                tasks == null
                        ? ""
                        : "_"
                                + (tasks.count() == 1
                                        ? tasks.compact()
                                        : "[" + tasks.compact() + "]");
        return job
                + task
                + (component < 0 ? "" : "+" + component)
                + (step == null ? "" : "." + step);
    }
}
