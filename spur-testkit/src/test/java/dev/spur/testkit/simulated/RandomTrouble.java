package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedJob.job;
import static dev.spur.testkit.simulated.SimulatedNodes.nodes;
import static java.util.Objects.requireNonNull;

import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.state.Job;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import dev.spur.model.JobState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A cluster under a load of jobs while everything fails that can: the seed says what and when.
final class RandomTrouble implements AutoCloseable {
    private static final Duration LONGEST_CALM = Duration.ofHours(200);

    private final SimulatedCluster cluster;
    private final Random random;
    private final boolean leased;
    private final Map<JobId, Asked> acknowledged = new TreeMap<>();
    private final Set<String> away = new HashSet<>();

    /// What somebody submitted, and how it may end.
    private record Asked(boolean array, Set<JobState> ends) {}

    RandomTrouble(SimulatedNodes nodes, long seed) {
        cluster = SimulatedCluster.with(nodes.cpus(4).memory(8_000).gpus(2), seed, true);
        random = cluster.random();
        leased = nodes.leased();
        cluster.always(this::check);
    }

    void happen(int events) {
        for (var event = 0; event < events; event++) {
            happen();
            cluster.advance(Duration.ofMillis((long) (-Math.log(random.nextDouble()) * 20_000)));
        }
    }

    private void happen() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> submit();
            case 6, 7 -> anyJob(this::cancel);
            case 8, 9 -> anyJob(cluster::requeueing);
            case 10, 11 -> {
                if (cluster.hasController()) {
                    cluster.failController();
                }
            }
            case 12, 13, 14 -> cluster.restartController();
            case 15 -> cutOff(anyNode());
            case 16, 17 -> heal(anyNode());
            case 18 -> cluster.restartAgent(anyNode());
            case 19 -> cluster.reboot(anyNode());
            default -> throw new IllegalStateException();
        }
    }

    private void submit() {
        var limit = Duration.ofMinutes(1 + random.nextInt(10));
        var duration = Duration.ofMillis(1 + random.nextInt(400_000));
        var exit = random.nextInt(4) == 0 ? 1 : 0;
        var job = job().limit(limit).runs(duration).exits(exit).cpus(1 + random.nextInt(4));
        var ends = EnumSet.of(exit == 0 ? JobState.COMPLETED : JobState.FAILED);
        if (random.nextInt(3) == 0) {
            job.nodes(2);
        }
        if (random.nextInt(3) == 0) {
            job.gpus(1 + random.nextInt(2));
        }
        if (random.nextInt(3) == 0) {
            job.memory(1 + random.nextInt(8_000));
        }
        if (random.nextInt(3) == 0) {
            job.noRequeue();
            ends.add(JobState.NODE_FAIL);
        }
        if (random.nextInt(4) == 0) {
            job.ignoresTerm();
        }
        if (random.nextInt(4) == 0 && !acknowledged.isEmpty()) {
            anyJob(before -> job.dependingOn("afterany:" + before));
        }
        var array = random.nextInt(6) == 0;
        if (array) {
            job.array("0-4%2");
        }
        var _ =
                cluster.submitting(job)
                        .thenAccept(id -> acknowledged.put(id, new Asked(array, ends)));
    }

    private void cancel(JobId id) {
        requireNonNull(acknowledged.get(id)).ends.add(JobState.CANCELLED);
        var _ = cluster.cancelling(id);
    }

    private void anyJob(Consumer<JobId> deed) {
        if (!acknowledged.isEmpty()) {
            deed.accept(
                    List.copyOf(acknowledged.keySet()).get(random.nextInt(acknowledged.size())));
        }
    }

    private String anyNode() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private void cutOff(String node) {
        away.add(node);
        cluster.cutOff(node);
    }

    private void heal(String node) {
        away.remove(node);
        cluster.heal(node);
    }

    /// Everything works again, until nothing is left to do.
    void calmDown() {
        cluster.restartController();
        List.copyOf(away).forEach(this::heal);
        var end = cluster.now().plus(LONGEST_CALM);
        do {
            cluster.advance(Duration.ofMinutes(10));
            require(cluster.now().isBefore(end), "these never end: %s", unended());
        } while (!unended().isEmpty());
        cluster.advance(Duration.ofMinutes(10));
        checkTheEnd();
    }

    private List<String> unended() {
        return cluster.snapshot().jobs().stream()
                .filter(job -> !job.isEnded())
                .map(job -> job.shownId() + " " + job.phase())
                .toList();
    }

    // ---- always ----

    private void check(Snapshot snapshot) {
        Invariants.check(snapshot);
        for (var id : acknowledged.keySet()) {
            require(snapshot.job(id).isPresent(), "job %s was acknowledged and is gone", id);
        }
    }

    // ---- in the end ----

    private void checkTheEnd() {
        for (var node : cluster.snapshot().nodes()) {
            require(node.usage().isIdle(), "%s is still in use: %s", node.name(), node.usage());
            require(node.isSchedulable(), "%s does not serve: %s", node.name(), node.note());
        }
        acknowledged.forEach((id, asked) -> {
            var records = asked.array ? cluster.tasks(id) : List.of(cluster.job(id));
            records.forEach(job -> checkTheEnd(job, asked));
        });
        checkThatEachAttemptRanOnce();
    }

    private void checkTheEnd(Job job, Asked asked) {
        var runs = cluster.runsOf(job.id());
        var last = runs.stream().filter(run -> run.key().attempt() == job.attempt()).findFirst();
        var right =
                switch (job.state()) {
                    case COMPLETED, FAILED -> asked.ends.contains(job.state()) && last.isPresent();
                    // Unless the script ended by itself: a limit is in force from the start of the
                    // job, and on a node that was away a script may begin late. Of one whose lease
                    // ended first, nobody asks any more.
                    case TIMEOUT ->
                            last.isPresent()
                                    && (leased
                                            || last.get().lost()
                                            || !last.get().signals().isEmpty());
                    default -> asked.ends.contains(job.state());
                };
        require(
                right,
                "job %s ended %s after %s, not %s",
                job.shownId(),
                job.phase(),
                runs,
                asked.ends);
        require(runs.stream().noneMatch(Run::isLive), "job %s still runs", job.shownId());
    }

    private void checkThatEachAttemptRanOnce() {
        var seen = new HashMap<Object, Run>();
        for (var run : cluster.runs()) {
            var before = seen.put(run.key(), run);
            require(before == null, "an attempt ran twice: %s and %s", before, run);
        }
    }

    private static void require(boolean holds, String message, Object... details) {
        if (!holds) {
            throw new AssertionError(message.formatted(details));
        }
    }

    int jobs() {
        return acknowledged.size();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
