package dev.spur.model.notation;

/// How people name a job or the tasks of an array: `123`, `123_4`, `123_*`, `123_[1-3,7]`.
public sealed interface JobReference {
    int job();

    /// A job, or a whole array by its own id.
    record Whole(int job) implements JobReference {
        @Override
        public String toString() {
            return Integer.toString(job);
        }
    }

    record Task(int job, int index) implements JobReference {
        @Override
        public String toString() {
            return job + "_" + index;
        }
    }

    record AllTasks(int job) implements JobReference {
        @Override
        public String toString() {
            return job + "_*";
        }
    }

    record Tasks(int job, ArraySpec indices) implements JobReference {
        @Override
        public String toString() {
            return job + "_" + indices.bracketed();
        }
    }

    static JobReference parse(String text) {
        var underscore = text.indexOf('_');
        var job = number(text, underscore < 0 ? text : text.substring(0, underscore));
        if (job == 0) {
            throw notAJob(text);
        }
        if (underscore < 0) {
            return new Whole(job);
        }
        var task = text.substring(underscore + 1);
        if (task.equals("*")) {
            return new AllTasks(job);
        }
        return task.startsWith("[")
                ? new Tasks(job, indices(text, task))
                : new Task(job, number(text, task));
    }

    private static ArraySpec indices(String text, String task) {
        try {
            return ArraySpec.parse(task);
        } catch (NotationException _) {
            throw notAJob(text);
        }
    }

    private static int number(String text, String field) {
        var value = Digits.parse(field).orElseThrow(() -> notAJob(text));
        if (value > Integer.MAX_VALUE) {
            throw notAJob(text);
        }
        return (int) value;
    }

    private static NotationException notAJob(String text) {
        return new NotationException(
                text, "a job id", "write 123, or 123_4 or 123_[1-3] for tasks of an array");
    }
}
