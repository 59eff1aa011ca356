package dev.spur.engine.job;

import dev.spur.model.JobSpec;
import org.jspecify.annotations.Nullable;

/// Most jobs are like one that came shortly before: what is equal is in memory once. The values of
/// a job are the same with it and without, so nothing else can tell.
public final class SharedParts {
    private static final int PLACES = 1 << 10;

    /// Each by its hash, in place of whatever was there.
    private final @Nullable Object[] recent = new Object[PLACES];

    /// The same job, made of parts that others have too.
    public Job share(Job job) {
        var submission = job.submission();
        return new Job(
                job.id(),
                new Submission(
                        submission.at(),
                        share(submission.spec()),
                        shareIfAny(submission.script()),
                        shareIfAny(submission.environment())),
                share(job.terms()),
                job.array(),
                job.queueing(),
                job.run());
    }

    private JobSpec share(JobSpec spec) {
        return one(
                spec.with(draft -> {
                    draft.owner = one(spec.owner());
                    draft.components = spec.components().stream().map(this::one).toList();
                    draft.launch = one(spec.launch());
                    draft.notes = one(spec.notes());
                }));
    }

    private JobTerms share(JobTerms terms) {
        return one(
                new JobTerms(
                        one(terms.demand()),
                        one(terms.partitions()),
                        terms.timeLimit(),
                        terms.timeMin(),
                        terms.requeue(),
                        terms.revision(),
                        one(terms.charge()),
                        terms.reservation()));
    }

    private <T> @Nullable T shareIfAny(@Nullable T part) {
        return part == null ? null : one(part);
    }

    /// What is equal to it and was shared before, or else itself.
    @SuppressWarnings(
            "unchecked") // equal records are of one class, and so are equal lists of theirs
    private <T> T one(T part) {
        var hash = part.hashCode();
        var place = (hash ^ hash >>> 16) & (PLACES - 1);
        var known = recent[place];
        if (known != null && part.equals(known)) {
            return (T) known;
        }
        recent[place] = part;
        return part;
    }
}
