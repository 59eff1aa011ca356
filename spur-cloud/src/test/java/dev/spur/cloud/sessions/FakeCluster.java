package dev.spur.cloud.sessions;

import dev.spur.cloud.cluster.UnixAccount;
import dev.spur.cloud.config.ServerSection;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A cluster in memory: it remembers submissions by key, as the real one does, and does with jobs
/// what the test says.
public final class FakeCluster implements Backend {
    private final Map<String, Long> byKey = new LinkedHashMap<>();
    private final Map<Long, Observed> jobs = new LinkedHashMap<>();
    private final Map<String, Submission> submissions = new HashMap<>();
    private final List<NodeOffer> nodes = new ArrayList<>();
    public final AtomicInteger questions = new AtomicInteger();
    private boolean away;
    private boolean losesAnswers;
    private @Nullable String refusal;
    private Map<Long, Use> uses = Map.of();

    public FakeCluster() {
        node("node1", 8, "mi300x", 8);
        node("node2", 8, "mi300x", 4);
    }

    public synchronized void node(String name, int cpus, String gpuType, int gpus) {
        var some = new TreeMap<String, NodeOffer.Gpus>();
        some.put(gpuType, new NodeOffer.Gpus(gpus, 0));
        nodes.add(
                new NodeOffer(
                        name,
                        "idle",
                        true,
                        List.of("main"),
                        cpus,
                        64_000,
                        100_000,
                        cpus,
                        64_000,
                        some));
    }

    /// Nobody answers.
    public synchronized void goAway(boolean is) {
        away = is;
    }

    /// What is asked is done, and its answer gets lost.
    public synchronized void loseAnswers(boolean does) {
        losesAnswers = does;
    }

    public synchronized void refuse(@Nullable String because) {
        refusal = because;
    }

    public synchronized void use(Map<Long, Use> now) {
        uses = now;
    }

    public synchronized List<Observed> jobs() {
        return List.copyOf(jobs.values());
    }

    private Observed job(long job) {
        return Objects.requireNonNull(jobs.get(job));
    }

    public synchronized Submission submission(long job) {
        return Objects.requireNonNull(submissions.get(job(job).key()));
    }

    /// What happens to a job.
    public synchronized Observed set(long job, UnaryOperator<Observed> change) {
        var now = change.apply(job(job));
        jobs.put(job, now);
        return now;
    }

    public Observed run(long job, Instant at, Instant until) {
        return set(job, now -> running(now, now.attempt(), at, until));
    }

    public static Observed running(Observed now, int attempt, Instant at, Instant until) {
        return new Observed(
                now.job(),
                now.key(),
                SessionState.RUNNING,
                null,
                null,
                attempt,
                at,
                null,
                until,
                null,
                "node1",
                now.limitMinutes());
    }

    public Observed end(long job, SessionState state, @Nullable String reason, Instant at) {
        return set(job, now -> ended(now, state, reason, at));
    }

    public static Observed ended(
            Observed now, SessionState state, @Nullable String reason, Instant at) {
        return new Observed(
                now.job(),
                now.key(),
                state,
                reason,
                state == SessionState.FAILED ? "It failed: " + reason : null,
                now.attempt(),
                now.startedAt(),
                at,
                null,
                null,
                now.node(),
                now.limitMinutes());
    }

    public synchronized void forget(long job) {
        jobs.remove(job);
    }

    private void answer() {
        questions.incrementAndGet();
        if (away) {
            throw new BackendAwayException("nobody answers", new IOException("refused"));
        }
    }

    private void answered() {
        if (losesAnswers) {
            throw new BackendAwayException("the answer was lost", new IOException("reset"));
        }
    }

    @Override
    public ServerSection.Backend kind() {
        return ServerSection.Backend.NATIVE;
    }

    @Override
    public Optional<String> refusal(String image) {
        return image.isEmpty() || image.equals(NativeBackend.NO_IMAGE)
                ? Optional.empty()
                : Optional.of("No container images run here, such as %s.".formatted(image));
    }

    @Override
    public synchronized Submitted submit(Submission submission) {
        answer();
        var known = byKey.get(submission.key());
        if (known == null) {
            if (refusal != null) {
                return new Refused(refusal);
            }
            known = 100L + byKey.size();
            byKey.put(submission.key(), known);
            submissions.put(submission.key(), submission);
            jobs.put(
                    known,
                    new Observed(
                            known,
                            submission.key(),
                            SessionState.PENDING,
                            "Priority",
                            null,
                            1,
                            null,
                            null,
                            null,
                            null,
                            null,
                            submission.minutes()));
        }
        answered();
        return new Accepted(known);
    }

    @Override
    public synchronized void cancel(UnixAccount account, long job) {
        answer();
        jobs.computeIfPresent(
                job,
                (_, now) ->
                        now.state().isOver()
                                ? now
                                : ended(
                                        now,
                                        SessionState.CANCELLED,
                                        "CANCELLED",
                                        Instant.parse("2027-01-01T00:00:00Z")));
        answered();
    }

    @Override
    public synchronized Changed requeue(UnixAccount account, long job, String key) {
        answer();
        set(
                job,
                now ->
                        new Observed(
                                now.job(),
                                now.key(),
                                SessionState.PENDING,
                                "BeginTime",
                                null,
                                now.attempt() + 1,
                                null,
                                null,
                                null,
                                null,
                                null,
                                now.limitMinutes()));
        return new Done();
    }

    @Override
    public synchronized Changed limit(UnixAccount account, long job, int minutes, String key) {
        answer();
        set(
                job,
                now -> {
                    var end = now.endsAt();
                    return new Observed(
                            now.job(),
                            now.key(),
                            now.state(),
                            now.reason(),
                            now.message(),
                            now.attempt(),
                            now.startedAt(),
                            now.endedAt(),
                            end == null
                                    ? null
                                    : end.plus(
                                            java.time.Duration.ofMinutes(
                                                    minutes - now.limitMinutes())),
                            now.expectedStart(),
                            now.node(),
                            minutes);
                });
        return new Done();
    }

    @Override
    public synchronized List<Observed> list(Collection<Long> wanted) {
        answer();
        return jobs.values().stream().filter(job -> wanted.contains(job.job())).toList();
    }

    @Override
    public synchronized Map<Long, Place> queue() {
        answer();
        var places = new HashMap<Long, Place>();
        jobs.forEach((id, job) -> {
            if (job.state() == SessionState.PENDING) {
                places.put(
                        id,
                        new Place(
                                places.size() + 1,
                                Instant.parse("2027-01-01T10:00:00Z"),
                                "Resources"));
            }
        });
        return places;
    }

    @Override
    public synchronized void follow(String cursor, Follower follower) {
        answer();
        follower.changed(jobs(), cursor.isEmpty(), true, "cursor-" + questions.get());
    }

    @Override
    public synchronized List<NodeOffer> nodes() {
        answer();
        return List.copyOf(nodes);
    }

    @Override
    public void output(UnixAccount account, long job, OutputWish wish, OutputStream to)
            throws IOException {
        to.write("hello from %d\n".formatted(job).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public synchronized Map<Long, Use> usage(UnixAccount account, Collection<Long> wanted) {
        answer();
        return uses;
    }
}
