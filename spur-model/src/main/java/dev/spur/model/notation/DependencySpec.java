package dev.spur.model.notation;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// `--dependency`: what must have happened before a job may start.
///
/// `after:1:2+5,afterok:3,singleton` asks for all parts, the same with `?` for any one of them. A
/// part without a type means `afterany`, also behind a typed one: `afterok:1,2` is
/// `afterok:1,afterany:2`. Tasks in brackets become a term each, and a term that is there already
/// is not added again.
public record DependencySpec(Join join, List<Term> terms) {
    private static final int MOST_TASKS = 1_000;

    /// Whether all terms are needed or one is enough.
    public enum Join {
        ALL(","),
        ANY("?");

        private final String separator;

        Join(String separator) {
            this.separator = separator;
        }
    }

    /// One condition.
    public sealed interface Term {}

    /// Something about another job; `delay` is accepted with every type and means something to
    /// [Type#AFTER] only, where it counts from the start of that job.
    public record OnJob(Type type, JobReference job, Duration delay) implements Term {
        @Override
        public String toString() {
            return type + ":" + job + (delay.isZero() ? "" : "+" + delay.toMinutes());
        }
    }

    /// No other job of the same name and user is running or suspended.
    public record Singleton() implements Term {
        @Override
        public String toString() {
            return "singleton";
        }
    }

    public enum Type {
        /// It has started, or was cancelled.
        AFTER,
        /// It has ended, however.
        AFTERANY,
        /// It has ended well.
        AFTEROK,
        /// It has ended badly.
        AFTERNOTOK,
        /// The task of the other array with the same index has ended well.
        AFTERCORR,
        /// It has ended and its burst buffers are staged out.
        AFTERBURSTBUFFER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public DependencySpec {
        terms = List.copyOf(terms);
    }

    public static DependencySpec parse(String text) {
        var any = text.indexOf('?') >= 0;
        if (any && text.indexOf(',') >= 0) {
            throw new NotationException(
                    text,
                    "a dependency",
                    "use either commas (all must hold) or question marks (any one), not both");
        }
        var parts = text.split(any ? "\\?" : ",", -1);
        var terms = new LinkedHashSet<Term>();
        for (var part : parts) {
            addTerms(text, part, terms);
        }
        return new DependencySpec(any ? Join.ANY : Join.ALL, List.copyOf(terms));
    }

    /// As Slurm shows it: every job with its own type, `afterany:38,afterany:39`.
    @Override
    public String toString() {
        return terms.stream().map(Term::toString).collect(Collectors.joining(join.separator));
    }

    private static void addTerms(String text, String part, Set<Term> terms) {
        if (!part.isEmpty() && Digits.isDigit(part.charAt(0))) {
            addJobs(text, Type.AFTERANY, part, terms);
            return;
        }
        var fields = part.split(":", -1);
        var word = fields[0].toLowerCase(Locale.ROOT);
        if (word.equals("singleton") && fields.length == 1) {
            terms.add(new Singleton());
            return;
        }
        var type =
                switch (word) {
                    case "after" -> Type.AFTER;
                    case "afterany" -> Type.AFTERANY;
                    case "afterok" -> Type.AFTEROK;
                    case "afternotok" -> Type.AFTERNOTOK;
                    case "aftercorr" -> Type.AFTERCORR;
                    case "afterburstbuffer" -> Type.AFTERBURSTBUFFER;
                    default -> throw notADependency(text);
                };
        if (fields.length == 1) {
            throw notADependency(text);
        }
        for (var i = 1; i < fields.length; i++) {
            addJobs(text, type, fields[i], terms);
        }
    }

    private static void addJobs(String text, Type type, String field, Set<Term> terms) {
        var plus = field.indexOf('+');
        var delay = plus < 0 ? Duration.ZERO : minutes(text, field.substring(plus + 1));
        var reference = job(text, plus < 0 ? field : field.substring(0, plus));
        if (!(reference instanceof JobReference.Tasks(var job, var indices))) {
            terms.add(new OnJob(type, reference, delay));
            return;
        }
        if (indices.count() > MOST_TASKS) {
            throw new NotationException(
                    text,
                    "a dependency",
                    "it lists more than " + MOST_TASKS + " tasks; name the whole array");
        }
        indices.indices()
                .forEach(index ->
                        terms.add(new OnJob(type, new JobReference.Task(job, index), delay)));
    }

    private static JobReference job(String text, String field) {
        try {
            return JobReference.parse(field);
        } catch (NotationException _) {
            throw notADependency(text);
        }
    }

    private static Duration minutes(String text, String field) {
        var minutes = Digits.parse(field).orElseThrow(() -> notADependency(text));
        if (minutes > Integer.MAX_VALUE) {
            throw notADependency(text);
        }
        return Duration.ofMinutes(minutes);
    }

    private static NotationException notADependency(String text) {
        return new NotationException(
                text,
                "a dependency",
                "write type:job[:job...] separated by commas, with the types after (also after:job+minutes),"
                        + " afterany, afterok, afternotok, aftercorr or afterburstbuffer, or singleton");
    }
}
