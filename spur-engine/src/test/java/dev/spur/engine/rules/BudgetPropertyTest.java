package dev.spur.engine.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spur.engine.account.Association;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.RandomLife;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.state.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is kept step by step is what counting everything anew gives.
class BudgetPropertyTest {
    private static final int STEPS = 800;

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34})
    void budgetsAreWhatTheJobsHave(long seed) {
        var life = new RandomLife(seed);

        for (var i = 0; i < STEPS; i++) {
            life.step();
            check(life.cluster());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {41, 42, 43})
    void usageIsWhatTheJobsHadTimesHowLong(long seed) {
        var life = new RandomLife(seed);
        var cluster = life.cluster();
        var since = new HashMap<Integer, Instant>();
        var used = new HashMap<Integer, Double>();

        for (var i = 0; i < STEPS; i++) {
            life.step();
            for (var event : cluster.takeEvents()) {
                follow(event, cluster.snapshot().now(), since, used);
            }
        }
        life.windDown();
        for (var event : cluster.takeEvents()) {
            follow(event, cluster.snapshot().now(), since, used);
        }

        assertThat(since).isEmpty();
        for (var association : cluster.snapshot().accounts().associations().values()) {
            if (association.isUser()) {
                assertThat(
                                cluster.snapshot()
                                        .usage()
                                        .ofAssociation(association.id())
                                        .billingSeconds())
                        .as(association.account() + "/" + association.user())
                        .isCloseTo(
                                used.getOrDefault(association.id(), 0.0),
                                within(1e-6 * (1 + used.getOrDefault(association.id(), 0.0))));
            }
        }
    }

    /// One event after the other, each at its own time.
    private static void follow(
            Event event, Instant now, Map<Integer, Instant> since, Map<Integer, Double> used) {
        switch (event) {
            case Event.JobStarted(var job) -> since.put(job.id().value(), now);
            case Event.JobResumed(var job) -> since.put(job.id().value(), now);
            case Event.JobSuspended(var job) -> stop(job, now, since, used);
            case Event.JobCompleting(var job) -> stop(job, now, since, used);
            default -> {}
        }
    }

    private static void stop(
            Job job, Instant now, Map<Integer, Instant> since, Map<Integer, Double> used) {
        var from = since.remove(job.id().value());
        var placement = job.phase().placementOrNull();
        if (from != null && placement != null) {
            var end = job.phase().endedAtOrNull();
            var until = end == null ? now : end;
            used.merge(
                    job.terms().charge().association(),
                    Duration.between(from, until).toMillis() / 1000.0 * placement.cpus(),
                    Double::sum);
        }
    }

    private static void check(Heart cluster) {
        var snapshot = cluster.snapshot();
        var budgets = cluster.state().budgets();
        for (var association : snapshot.accounts().associations().values()) {
            var running = 0;
            var submitted = 0;
            var cpus = 0L;
            for (var job : snapshot.jobs()) {
                if (!job.isEnded() && isWithin(cluster, job, association)) {
                    submitted +=
                            job.array() == null || job.array().split()
                                    ? 1
                                    : job.array().tasks().count();
                    if (job.phase() instanceof JobPhase.Running
                            || job.phase() instanceof JobPhase.Suspended) {
                        running++;
                        cpus += Objects.requireNonNull(job.phase().placementOrNull()).cpus();
                    }
                }
            }
            var shown = budgets.shown(association.id(), snapshot.now());
            assertThat(shown.running()).isEqualTo(running);
            assertThat(shown.submitted()).isEqualTo(submitted);
            assertThat(shown.amounts().get(1)).isEqualTo(cpus);
        }
    }

    private static boolean isWithin(Heart cluster, Job job, Association above) {
        var all = cluster.snapshot().accounts().associations();
        for (var at = all.get(job.terms().charge().association());
                at != null;
                at = all.get(at.parent())) {
            if (at.id() == above.id()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void livesHaveAccountsAndLimits() {
        var life = new RandomLife(31);
        for (var i = 0; i < STEPS; i++) {
            life.step();
        }

        assertThat(life.cluster().snapshot().accounts().users()).containsKeys("alice", "bob");
        assertThat(life.cluster().snapshot().accounts().revision()).isGreaterThan(5);
    }
}
