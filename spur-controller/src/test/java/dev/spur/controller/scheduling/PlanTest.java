package dev.spur.controller.scheduling;

import static dev.spur.model.fixture.JobFixture.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.Decision;
import dev.spur.engine.state.Command;
import dev.spur.model.Actor;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir Path directory;

    private LeaderFixture leader;
    private Plan plan;
    private SchedulingLoop loop;

    @BeforeEach
    void begin() throws IOException {
        leader = new LeaderFixture(directory, 1);
        plan = new Plan(leader.state);
        loop =
                new SchedulingLoop(
                        leader.state,
                        leader.feed,
                        leader.proposals,
                        SchedulingLoop.Planner.of(new BackfillPass()),
                        plan,
                        leader.time,
                        leader.time,
                        SECOND);
    }

    @Test
    void aJobThatWaitsHasItsReasonAndItsExpectedStartWithoutAnEntryInTheLog() throws Exception {
        try (var _ = loop.lead(1)) {
            var running = whole();
            leader.time.advance(SECOND);
            var next = whole();

            leader.time.advance(SECOND.multipliedBy(3));

            var end = requireNonNull(leader.job(running).phase().startedAt()).plusSeconds(600);
            assertThat(reason(next)).isEqualTo("Resources");
            assertThat(requireNonNull(expected(next)).expectedStart())
                    .isBetween(end, end.plusSeconds(120));
            assertThat(requireNonNull(expected(next)).expectedNodes()).isEqualTo("node1");
            assertThat(leader.job(next).reason()).isEqualTo(Reason.NONE);
            assertThat(leader.log.proposed(Command.class))
                    .hasOnlyElementsOfTypes(
                            Command.ApplyConfig.class,
                            Command.RegisterNode.class,
                            Command.SubmitJob.class,
                            Command.StartJobs.class);
        }
    }

    @Test
    void whatKeepsAJobOutOfTheQueueCountsMoreThanWhatWasPlannedForIt() throws Exception {
        try (var _ = loop.lead(1)) {
            whole();
            var next = whole();
            leader.time.advance(SECOND.multipliedBy(3));

            hold(next);
            leader.time.settle();

            assertThat(reason(next)).isEqualTo("JobHeldAdmin");
            assertThat(expected(next)).isNull();
        }
    }

    @Test
    void whoeverWatchesIsToldOnceOfWhatIsNew() throws Exception {
        var told = new ArrayList<JobId>();
        plan.watch(told::addAll);
        try (var _ = loop.lead(1)) {
            whole();
            var next = whole();

            leader.time.advance(SECOND.multipliedBy(10));

            assertThat(told).containsOnlyOnce(next);
        }
    }

    @Test
    void aPlanEndsWithTheLeadershipAndIsMadeAnewByTheNext() throws Exception {
        JobId next;
        try (var _ = loop.lead(1)) {
            whole();
            next = whole();
            leader.time.advance(SECOND.multipliedBy(3));
            assertThat(expected(next)).isNotNull();
        }
        leader.time.settle();

        assertThat(expected(next)).isNull();
        assertThat(plan.lookedAt(leader.job(next))).isNull();
        try (var _ = loop.lead(2)) {
            leader.time.advance(SECOND.multipliedBy(3));
            assertThat(expected(next)).isNotNull();
        }
    }

    /// A job that has the only node for ten minutes.
    private JobId whole() {
        return leader.submit(job().cpusPerTask(8).timeLimit(Duration.ofMinutes(10)));
    }

    private void hold(JobId id) {
        leader.proposals.decide(at ->
                new Command.HoldJobs(at, "", Actor.CLUSTER, List.of(JobSelector.of(id)), false));
    }

    private String reason(JobId id) {
        return plan.reasonOf(leader.job(id)).toString();
    }

    private Decision.@Nullable Wait expected(JobId id) {
        return plan.of(leader.job(id));
    }
}
