package dev.spur.testkit.simulated;

import static dev.spur.testkit.simulated.SimulatedNodes.nodes;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobState;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A cluster under a load of jobs while everything fails that can: the seed says what and when.
///
/// In the end everything works again, and then every job ends and every node is free.
public final class RandomLife implements AutoCloseable {
    private static final Duration LONGEST_CALM = Duration.ofHours(100);
    private static final Duration AT_A_TIME = Duration.ofMinutes(10);
    private static final double MEAN_PAUSE_MILLIS = 15_000;

    /// More than that in ten minutes is not life but a loop.
    private static final long MOST_ENTRIES_WHEN_CALM = 1_500;

    /// So few that ended jobs have to make room.
    private static final int FEW_JOBS = 30;

    private final SimulatedCluster cluster;
    private final Random random;
    private final Promises promises = new Promises();
    private final KeptNodes keptNodes = new KeptNodes();
    private final Requests requests;
    private final Troubles troubles;
    private final boolean leased;

    /// @param seed decides everything
    public RandomLife(long seed) {
        var choices = new Random(seed);
        leased = choices.nextBoolean();
        var usual = SimulatedRules.of(leased);
        var rules =
                switch (choices.nextInt(4)) {
                    case 0 -> usual.withMinJobAge(600);
                    case 1 -> usual.withMaxJobs(FEW_JOBS);
                    default -> usual;
                };
        var site =
                nodes(3).cpus(4).memory(8_000).gpus(2).controllers(choices.nextInt(6) == 0 ? 1 : 3);
        cluster = SimulatedCluster.with(site, rules, seed);
        cluster.always(this::check);
        cluster.keepAccounts();
        random = cluster.random();
        requests = new Requests(cluster, promises, rules);
        troubles = new Troubles(cluster);
    }

    /// So many things happen.
    public void happen(int events) {
        for (var event = 0; event < events; event++) {
            if (random.nextInt(5) < 3) {
                requests.any();
            } else {
                troubles.any();
            }
            cluster.advance(
                    Duration.ofMillis((long) (-Math.log(random.nextDouble()) * MEAN_PAUSE_MILLIS)));
        }
    }

    /// Everything works again, until nothing is left to do.
    public void calmDown() {
        cluster.tell("from now on everything works");
        troubles.end();
        cluster.calmDatabase();
        cluster.advance(AT_A_TIME);
        var end = cluster.now().plus(LONGEST_CALM);
        do {
            letGo();
            var before = cluster.entries();
            cluster.advance(AT_A_TIME);
            require(
                    cluster.entries() - before < MOST_ENTRIES_WHEN_CALM,
                    "the log grew by %d entries in %s",
                    cluster.entries() - before,
                    AT_A_TIME);
            require(cluster.now().isBefore(end), "these never end: %s", unended());
        } while (!unended().isEmpty());
        cluster.advance(AT_A_TIME);
        checkTheEnd();
    }

    public int jobs() {
        return promises.count();
    }

    public long steps() {
        return cluster.steps();
    }

    /// Changes with anything that went another way.
    public long fingerprint() {
        return cluster.fingerprint();
    }

    @Override
    public void close() {
        cluster.close();
    }

    // ---- in the end ----

    /// What people keep from running runs now; what nobody can run is cancelled; nodes serve.
    private void letGo() {
        requests.letSiteGo();
        var state = cluster.snapshot();
        for (var node : state.nodes()) {
            if (!node.isSchedulable()) {
                requests.updateNode(node.name(), "RESUME");
            }
        }
        for (var job : state.jobs()) {
            var id = job.array() == null ? job.id() : job.array().array();
            if (!promises.jobs().containsKey(id)) {
                continue;
            }
            switch (job.phase()) {
                case JobPhase.Pending _ -> {
                    if (job.queueing().isHeld()) {
                        requests.release(id, Users.ROOT);
                    }
                }
                case JobPhase.Suspended _ -> requests.resume(id);
                case JobPhase.Running _, JobPhase.Completing _, JobPhase.Ended _ -> {}
            }
        }
    }

    private List<String> unended() {
        return cluster.snapshot().jobs().stream()
                .filter(job -> !job.isEnded())
                .map(job -> job.shownId() + " " + job.phase())
                .toList();
    }

    private void checkTheEnd() {
        cluster.compareControllers();
        cluster.compareRecords();
        for (var node : cluster.snapshot().nodes()) {
            require(node.usage().isIdle(), "%s is still in use: %s", node.name(), node.usage());
            require(node.isSchedulable(), "%s does not serve: %s", node.name(), node.note());
        }
        for (var job : cluster.snapshot().jobs()) {
            var promise = promises.jobs().get(job.array() == null ? job.id() : job.array().array());
            if (promise != null) {
                checkTheEnd(job, promise);
            }
        }
        for (var run : cluster.runs()) {
            require(!run.isLive(), "%s still runs on %s", run.key(), run.node());
        }
        checkThatEachAttemptRanOnce();
        requests.checkWatchers();
        requests.checkThatThereIsRoom();
    }

    private void checkTheEnd(Job job, Promises.Promise promise) {
        var runs = cluster.runsOf(job.id());
        var ran =
                runs.stream()
                        .anyMatch(
                                run -> run.key().isBatch() && run.key().attempt() == job.attempt());
        var right =
                switch (job.state()) {
                    case COMPLETED, FAILED ->
                            promise.ends().contains(job.state()) && ran
                                    || couldNotBeLaunched(job)
                                            && promise.ends().contains(JobState.NODE_FAIL);
                    case TIMEOUT -> ran;
                    default -> promise.ends().contains(job.state());
                };
        require(
                right,
                "job %s ended %s after %s, not %s",
                job.shownId(),
                job.phase(),
                runs,
                promise.ends());
    }

    private static boolean couldNotBeLaunched(Job job) {
        return job.phase() instanceof JobPhase.Ended ended
                && ended.outcome().reason().equals(Reason.of(PendingReason.LAUNCH_FAILED));
    }

    private void checkThatEachAttemptRanOnce() {
        var seen = new HashMap<Object, Run>();
        for (var run : cluster.runs()) {
            var before = run.key().isBatch() ? seen.put(run.key(), run) : null;
            require(before == null, "an attempt ran twice: %s and %s", before, run);
        }
    }

    // ---- always ----

    private void check(Snapshot state) {
        Books.check(state);
        keptNodes.check(state);
        promises.check(state);
    }

    private void require(boolean holds, String message, @Nullable Object... details) {
        if (!holds) {
            throw new AssertionError(
                    message.formatted(details) + "\n" + String.join("\n", cluster.told()));
        }
    }
}
