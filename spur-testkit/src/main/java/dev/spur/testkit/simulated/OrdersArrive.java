package dev.spur.testkit.simulated;

import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A node that has been connected to the leader for a while does what the state says: nothing runs
/// there that should not, nothing stands still that should run, and time limits are those of the
/// state. What is wrong for a moment is on its way; what stays wrong was never said.
final class OrdersArrive {
    /// Longer than anything takes: the slowest message, the wait before a kill, the pauses between
    /// two tries.
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(180);

    /// Clocks differ, and limits are told in whole seconds.
    private static final Duration LIMITS_DIFFER_BY = Duration.ofSeconds(60);

    private final Map<String, Settled> settled = new HashMap<>();
    private final Map<String, Instant> wrongSince = new HashMap<>();

    private record Settled(Connection connection, long epoch, Instant since) {}

    /// To be asked every few seconds.
    void check(Instant now, SimulatedAgent agent, @Nullable Long leaderEpoch) {
        var connection = agent.life().flatMap(SimulatedAgent.Life::welcomedOn).orElse(null);
        if (connection == null
                || leaderEpoch == null
                || connection.epoch() != leaderEpoch
                || connection.controller().process().isStopped()) {
            forget(agent.node());
            return;
        }
        var before = settled.get(agent.node());
        if (before == null
                || before.connection() != connection
                || before.epoch() != connection.epoch()) {
            forget(agent.node());
            settled.put(agent.node(), new Settled(connection, connection.epoch(), now));
            return;
        }
        var state = connection.controller().state().snapshot();
        var wrong = wrong(agent, state, connection.controller().clock().instant(), now);
        wrongSince.keySet().removeIf(what -> isOf(agent.node(), what) && !wrong.contains(what));
        for (var what : wrong) {
            var since = wrongSince.computeIfAbsent(what, _ -> now);
            if (since.plus(ON_ITS_WAY).isBefore(now)) {
                throw new AssertionError(
                        "%s, since %s, and is connected since %s"
                                .formatted(what, since, before.since()));
            }
        }
    }

    private void forget(String node) {
        settled.remove(node);
        wrongSince.keySet().removeIf(what -> isOf(node, what));
    }

    private static boolean isOf(String node, String what) {
        return what.startsWith(node + " ");
    }

    private static List<String> wrong(
            SimulatedAgent agent, Snapshot state, Instant leaderNow, Instant now) {
        var node = agent.node();
        var wrong = new ArrayList<String>();
        var live = agent.machine().liveRuns().toList();
        for (var run : live) {
            var job =
                    state.job(JobId.of(Integer.toUnsignedLong(run.key().job())))
                            .filter(each -> each.attempt() == run.key().attempt())
                            .orElse(null);
            var fault = fault(run, job, node, Duration.between(leaderNow, now));
            if (fault != null) {
                wrong.add(
                        "%s %s attempt %d %s"
                                .formatted(node, run.key(), run.key().attempt(), fault));
            }
        }
        for (var job : state.jobs()) {
            if (shouldRunHere(job, node) && live.stream().noneMatch(run -> isBatchOf(job, run))) {
                wrong.add(
                        "%s does not run job %s attempt %d, which the state says it does"
                                .formatted(node, job.shownId(), job.attempt()));
            }
        }
        return wrong;
    }

    private static @Nullable String fault(Run run, @Nullable Job job, String node, Duration ahead) {
        return switch (job == null ? null : job.phase()) {
            case null -> "runs, and the state does not know it";
            case JobPhase.Pending _, JobPhase.Ended _ -> "runs, and is over by the state";
            case JobPhase.Completing _ -> "runs, and should have ended";
            case JobPhase.Suspended _ -> run.stopped() ? null : "runs, and should stand still";
            case JobPhase.Running running -> {
                if (!running.placement().uses(node)) {
                    yield "runs, and its job is elsewhere";
                }
                if (run.stopped()) {
                    yield "stands still, and should run";
                }
                yield run.key().isBatch() ? limitFault(run, running, ahead) : null;
            }
        };
    }

    private static @Nullable String limitFault(
            Run run, JobPhase.Running running, Duration clockDifference) {
        var wanted = running.deadline() == null ? null : running.deadline().plus(clockDifference);
        var told = run.deadline();
        var agree =
                wanted == null || told == null
                        ? Objects.equals(wanted, told)
                        : isWithin(told, wanted, wanted.plus(delay(run, running, clockDifference)));
        return agree ? null : "has until " + told + " instead of " + wanted;
    }

    /// A launch that the agent read late gives the job all of its time from then on.
    private static Duration delay(Run run, JobPhase.Running running, Duration clockDifference) {
        var late = Duration.between(running.since().plus(clockDifference), run.startedAt());
        return late.isNegative() ? Duration.ZERO : late;
    }

    private static boolean isWithin(Instant told, Instant earliest, Instant latest) {
        return !told.isBefore(earliest.minus(LIMITS_DIFFER_BY))
                && !told.isAfter(latest.plus(LIMITS_DIFFER_BY));
    }

    private static boolean shouldRunHere(Job job, String node) {
        return job.spec().isBatch()
                && job.phase() instanceof JobPhase.Running running
                && running.placement().first().node().equals(node);
    }

    private static boolean isBatchOf(Job job, Run run) {
        return run.key().isBatch()
                && run.key().job() == job.id().value()
                && run.key().attempt() == job.attempt();
    }
}
