package dev.spur.cloud.sessions;

import dev.spur.cloud.cluster.UnixAccount;
import dev.spur.cloud.config.ServerSection;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What runs sessions. Everything may be asked again: a submission is known by its key, and what is
/// gone already can be cancelled.
///
/// What all of them must do is said by `BackendSpecification`.
public interface Backend {
    ServerSection.Backend kind();

    /// Why it cannot run sessions of this image; empty: it can.
    Optional<String> refusal(String image);

    /// Submits a session, once for each key: a repetition gets the same job.
    ///
    /// @throws BackendAwayException if nobody can say whether it was done
    Submitted submit(Submission submission);

    /// Ends the job, whatever it does; a job that has ended stays as it is.
    void cancel(UnixAccount account, long job);

    /// Runs it anew from the beginning.
    Changed requeue(UnixAccount account, long job, String key);

    /// Lets the job run so long in all.
    Changed limit(UnixAccount account, long job, int minutes, String key);

    /// Those of the jobs that are known, as they are now.
    List<Observed> list(Collection<Long> jobs);

    /// Places in the queue and expected starts of what waits.
    Map<Long, Place> queue();

    /// Tells of changes from the cursor on until the connection ends or the thread is interrupted.
    /// Returns or throws {@link BackendAwayException}; then it is called again.
    void follow(String cursor, Follower follower) throws InterruptedException;

    /// The nodes on which sessions may run, by name.
    List<NodeOffer> nodes();

    /// What the session has printed.
    void output(UnixAccount account, long job, OutputWish wish, OutputStream to)
            throws IOException, InterruptedException;

    /// What the processes of one person's sessions use now; those that nobody could ask are
    /// missing.
    Map<Long, Use> usage(UnixAccount account, Collection<Long> jobs);

    /// A session for the cluster.
    ///
    /// @param key by which the cluster knows it again
    /// @param held must not start: it is submitted to learn its number and to be cancelled
    record Submission(
            String key,
            UnixAccount account,
            String name,
            String accountName,
            String gpuType,
            int gpuCount,
            int cpus,
            long memoryMb,
            long diskMb,
            @Nullable String partition,
            int minutes,
            String setup,
            Map<String, String> environment,
            boolean held) {
        public Submission {
            environment = Map.copyOf(environment);
        }

        @Override
        public String toString() {
            return "Submission[%s]".formatted(key); // the environment may hold secrets
        }
    }

    /// What came of a submission.
    sealed interface Submitted {}

    record Accepted(long job) implements Submitted {}

    /// It never will be.
    record Refused(String because) implements Submitted {}

    /// What came of a change.
    sealed interface Changed {}

    record Done() implements Changed {}

    record NotDone(String because) implements Changed {}

    /// A job as the cluster has it.
    ///
    /// @param key of its submission; empty if it cannot be told
    /// @param reason a word; null if there is nothing to explain
    /// @param message for people, what went wrong; null if nothing has
    /// @param limitMinutes 0: none is known
    record Observed(
            long job,
            String key,
            SessionState state,
            @Nullable String reason,
            @Nullable String message,
            int attempt,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable Instant endsAt,
            @Nullable Instant expectedStart,
            @Nullable String node,
            int limitMinutes) {}

    record Place(@Nullable Integer position, @Nullable Instant expectedStart, String reason) {}

    /// @param lastLines so many of the last ones; 0: all
    record OutputWish(boolean error, long offset, long bytes, long lastLines, boolean follow) {}

    record Use(double cpuSeconds, long memoryBytes) {}

    /// Hears of changes, in order.
    interface Follower {
        /// @param anew whether everything that exists follows or is among these
        /// @param complete whether that is all there is now
        void changed(List<Observed> jobs, boolean anew, boolean complete, String cursor);
    }
}
