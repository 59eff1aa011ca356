package dev.spur.engine.scheduling;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.START;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BackfillTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Heart heart = Heart.with(4, node());

    @Test
    void jobsStartInTheOrderOfTheirSubmission() {
        var first = heart.submit(job().nodes(3).exclusive());
        var second = heart.submit(job().nodes(1).exclusive());
        var third = heart.submit(job().nodes(1).exclusive());

        heart.schedule();

        assertThat(heart.nodesOf(first)).containsExactly("node1", "node2", "node3");
        assertThat(heart.nodesOf(second)).containsExactly("node4");
        assertThat(heart.job(third).isPending()).isTrue();
    }

    /// `--time=30000-0` has more seconds than an int.
    @Test
    void aTimeLimitOfALifetimeLetsNoJobStartWithFewerProcessorsThanItAskedFor() {
        var one = Heart.with(1, node());
        one.run(job().tasks(6).timeLimit(HOUR));
        var lifetime = one.submit(job().tasks(8).timeLimit(Duration.ofDays(30_000)));

        var plan = new BackfillPass().plan(one.snapshot(), one.now());
        assertThat(StartCommands.of(one.snapshot(), plan, one.now()))
                .noneMatch(Command.StartJobs.class::isInstance);

        assertThat(one.job(lifetime).isPending()).isTrue();
    }

    @Test
    void higherPriorityGoesFirst() {
        var low = heart.submit(job().nodes(4).exclusive().priority(10));
        var high = heart.submit(job().nodes(4).exclusive().priority(20));

        heart.schedule();

        assertThat(heart.job(high).isPending()).isFalse();
        assertThat(reason(low)).isEqualTo("Resources");
    }

    @Test
    void aWaitingJobIsExpectedWhenTheLimitsOfThoseBeforeItAreOver() {
        heart.run(job().nodes(2).exclusive().timeLimit(HOUR.multipliedBy(2)));
        heart.run(job().nodes(2).exclusive().timeLimit(HOUR));

        var waits = heart.run(job().nodes(4).exclusive());

        assertThat(expected(waits)).isEqualTo(START.plus(HOUR.multipliedBy(2)));
        assertThat(plannedNodes(waits)).isEqualTo("node[1-4]");
    }

    @Test
    void aShortJobFillsTheGapBeforeAReservation() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        var big = heart.run(job().nodes(4).exclusive());

        var small = heart.run(job().nodes(1).timeLimit(HOUR));

        assertThat(heart.nodesOf(small)).containsExactly("node4");
        assertThat(expected(big)).isEqualTo(START.plus(HOUR));
    }

    @Test
    void aLongJobDoesNotDelayAReservation() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        heart.run(job().nodes(4).exclusive().timeLimit(HOUR));

        var tooLong = heart.run(job().nodes(1).timeLimit(HOUR.plusMinutes(1)));

        assertThat(heart.job(tooLong).isPending()).isTrue();
        assertThat(expected(tooLong)).isEqualTo(START.plus(HOUR.multipliedBy(2)));
    }

    @Test
    void aLongJobStartsBesideAReservationOnOtherNodes() {
        heart.run(job().nodes(2).exclusive().timeLimit(HOUR));
        heart.run(job().on("node[1-2]").nodes(2).exclusive());

        var beside = heart.run(job().nodes(1).timeLimit(HOUR.multipliedBy(10)));

        assertThat(heart.nodesOf(beside)).containsExactly("node3");
    }

    @Test
    void aJobThatMayBeBrieferStartsForAsLongAsItDelaysNobody() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        var big = heart.run(job().nodes(4).exclusive().timeLimit(HOUR));

        var id = heart.run(job().timeLimit(HOUR.multipliedBy(5)).atLeast(HOUR.dividedBy(2)));

        assertThat(heart.nodesOf(id)).containsExactly("node4");
        assertThat(heart.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(60));
        assertThat(((JobPhase.Running) heart.job(id).phase()).deadline())
                .isEqualTo(START.plus(HOUR));
        assertThat(expected(big)).isEqualTo(START.plus(HOUR));
    }

    @Test
    void aJobIsNeverMadeBrieferThanItMayBe() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        heart.run(job().nodes(4).exclusive().timeLimit(HOUR));

        var id = heart.run(job().timeLimit(HOUR.multipliedBy(5)).atLeast(HOUR.multipliedBy(2)));

        assertThat(heart.job(id).isPending()).isTrue();
    }

    @Test
    void aJobThatFitsKeepsItsLimit() {
        var id = heart.run(job().timeLimit(HOUR.multipliedBy(5)).atLeast(HOUR));

        assertThat(heart.job(id).terms().timeLimit()).isEqualTo(TimeLimit.ofMinutes(300));
    }

    @Test
    void nobodyPassesAJobThatWaitsForOneWithoutLimit() {
        heart.run(job().nodes(1).exclusive().unlimited());
        var big = heart.run(job().nodes(4).exclusive().unlimited());

        var small = heart.run(job().unlimited());
        var brief = heart.run(job().timeLimit(HOUR));

        assertThat(heart.job(small).isPending()).isTrue();
        assertThat(heart.job(brief).isPending()).isFalse();
        assertThat(expected(big)).isNull();
    }

    @Test
    void theFirstWaitsForResourcesAndThoseBehindItForTheirTurn() {
        heart.run(job().nodes(4).exclusive());
        var first = heart.submit(job());
        var second = heart.submit(job());

        heart.schedule();

        assertThat(reason(first)).isEqualTo("Resources");
        assertThat(reason(second)).isEqualTo("Priority");
    }

    @Test
    void aJobForANodeThatIsDrainedNamesIt() {
        heart.change("node3", new NodeChange.Drain("broken"));

        var waits = heart.run(job().on("node3"));
        var next = heart.run(job());

        assertThat(reason(waits)).isEqualTo("ReqNodeNotAvail, UnavailableNodes:node3");
        assertThat(heart.nodesOf(next)).containsExactly("node1");
    }

    @Test
    void aJobForMoreNodesThanAreInServiceSaysSo() {
        heart.change("node3", new NodeChange.Drain("broken"));

        var waits = heart.run(job().nodes(4));
        var behind = heart.run(job().nodes(4));
        var fits = heart.run(job().nodes(3));

        assertThat(reason(waits))
                .isEqualTo(
                        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher"
                                + " priority partitions");
        assertThat(reason(behind)).isEqualTo("Priority");
        assertThat(heart.nodesOf(fits)).containsExactly("node1", "node2", "node4");
    }

    @Test
    void aJobThatNoNodesCanEverServeSaysSo() {
        var wide = heart.run(job().nodes(5));
        var large = heart.run(job().cpusPerTask(100));

        assertThat(reason(wide)).isEqualTo("PartitionConfig");
        assertThat(reason(large)).isEqualTo("PartitionConfig");
    }

    @Test
    void anArrayStartsAsManyTasksAsFit() {
        var array = heart.run(job().array("0-9").cpusPerTask(4));

        for (var task = 0; task < 8; task++) {
            assertThat(heart.task(array, task).isPending()).isFalse();
        }
        assertThat(heart.task(array, 8).isPending()).isTrue();
        assertThat(heart.reason(heart.task(array, 8).id())).isEqualTo("Resources");
    }

    @Test
    void anArrayKeepsToItsThrottle() {
        var array = heart.run(job().array("0-9%2"));

        assertThat(heart.task(array, 1).isPending()).isFalse();
        assertThat(heart.task(array, 2).isPending()).isTrue();
        assertThat(heart.reason(heart.task(array, 2).id())).isEqualTo("JobArrayTaskLimit");
    }

    @Test
    void aThrottledArrayLeavesTheRestToOthers() {
        heart.run(job().array("0-9%1").nodes(2).exclusive());

        var other = heart.run(job().nodes(2).exclusive());

        assertThat(heart.nodesOf(other)).containsExactly("node3", "node4");
    }

    @Test
    void theNextTaskStartsWhenOneHasEnded() {
        var array = heart.run(job().array("0-1%1"));
        var first = heart.task(array, 0).id();

        heart.begin(first);
        heart.finish(first, 0);
        heart.schedule();

        assertThat(heart.task(array, 1).isPending()).isFalse();
    }

    @Test
    void ofSeveralPartitionsTheOneThatStartsFirstWins() {
        var two = twoPartitions(1, 1);
        two.run(job().in("left").nodes(2).exclusive());

        var either = two.run(job().in("left", "right").nodes(2));

        assertThat(two.job(either).phase().placementOrNull())
                .satisfies(placement -> assertThat(placement.partition()).isEqualTo("right"));
    }

    @Test
    void ofSeveralPartitionsTheEarliestIsReserved() {
        var two = twoPartitions(1, 1);
        two.run(job().in("left").nodes(2).exclusive().timeLimit(HOUR.multipliedBy(3)));
        two.run(job().in("right").nodes(2).exclusive().timeLimit(HOUR));

        var either = two.run(job().in("left", "right").nodes(2));

        assertThat(expectedIn(two, either)).isEqualTo(START.plus(HOUR));
    }

    @Test
    void aHigherTierGoesFirstWhateverThePriority() {
        var two = overlappingPartitions();
        var low = two.submit(job().in("low").nodes(4).exclusive().priority(1000));
        var high = two.submit(job().in("high").nodes(4).exclusive().priority(1));

        two.schedule();

        assertThat(two.job(high).isPending()).isFalse();
        assertThat(two.job(low).isPending()).isTrue();
    }

    @Test
    void aPartitionThatIsDownStartsNothing() {
        var spec = PartitionSpec.of("debug", true, "ALL");
        heart.configure(config(List.of(withState(spec, PartitionState.DOWN))));

        var waits = heart.run(job());

        assertThat(reason(waits)).isEqualTo("PartitionDown");
    }

    @Test
    void aKeptPassFollowsWhatHappens() {
        var pass = new BackfillPass();
        pass.plan(heart.snapshot(), heart.now());
        var id = heart.submit(job().nodes(4).exclusive());
        apply(pass);
        heart.begin(id);
        var next = heart.submit(job().nodes(4).exclusive());
        apply(pass);
        assertThat(heart.job(next).isPending()).isTrue();

        heart.finish(id, 0);
        apply(pass);

        assertThat(heart.job(next).isPending()).isFalse();
    }

    @Test
    void aCancelledJobLeavesTheQueue() {
        heart.run(job().nodes(4).exclusive());
        var waits = heart.run(job().nodes(4).exclusive());
        var pass = new BackfillPass();
        pass.plan(heart.snapshot(), heart.now());

        heart.cancel(waits.toString(), ALICE);

        assertThat(pass.plan(heart.snapshot(), heart.now())).isEmpty();
    }

    @Test
    void startingOnWhatIsFreePassesNobody() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        heart.submit(job().nodes(4).exclusive());
        heart.submit(job().timeLimit(HOUR));

        var decisions = new BackfillPass().startNow(heart.snapshot(), heart.now());

        assertThat(decisions).isEmpty();
    }

    @Test
    void aTrialTellsWhenAndWhereAJobWouldStart() {
        heart.run(job().nodes(4).exclusive().timeLimit(HOUR));
        var like = heart.submit(job().nodes(2));

        var trial =
                new BackfillPass()
                        .forecast(heart.snapshot(), heart.now())
                        .trial(heart.job(like).terms());

        assertThat(trial.start()).isEqualTo(START.plus(HOUR));
        assertThat(trial.nodes()).containsExactly("node1", "node2");
    }

    @Test
    void behindTheLastReservationOfAPassJobsStartIfTheyFitBesideAllReservations() {
        heart.run(job().nodes(3).exclusive().timeLimit(HOUR));
        var reserves = heart.submit(job().nodes(4).exclusive());
        var reservesNot = heart.submit(job().nodes(4).exclusive());
        var tooLong = heart.submit(job().timeLimit(HOUR.multipliedBy(2)));
        var fits = heart.submit(job().timeLimit(HOUR));

        apply(new BackfillPass(new BackfillPass.Bounds(1, 10, Long.MAX_VALUE)));

        assertThat(expected(reserves)).isEqualTo(START.plus(HOUR));
        assertThat(expected(reservesNot)).isNull();
        assertThat(heart.job(tooLong).isPending()).isTrue();
        assertThat(heart.nodesOf(fits)).containsExactly("node4");
    }

    @Test
    void aPassStartsNoMoreJobsThanItMay() {
        var first = heart.submit(job());
        var second = heart.submit(job());

        apply(new BackfillPass(BackfillPass.Bounds.ofJobs(1)));

        assertThat(heart.job(first).isPending()).isFalse();
        assertThat(heart.job(second).isPending()).isTrue();
    }

    private void apply(BackfillPass pass) {
        heart.schedule(pass);
    }

    private String reason(JobId id) {
        return heart.reason(id);
    }

    private @Nullable Instant expected(JobId id) {
        return expectedIn(heart, id);
    }

    private static @Nullable Instant expectedIn(Heart heart, JobId id) {
        return heart.planOf(id).expectedStart();
    }

    private String plannedNodes(JobId id) {
        return heart.planOf(id).expectedNodes();
    }

    private static Heart twoPartitions(int leftTier, int rightTier) {
        return registered(
                config(
                        List.of(
                                withTier(PartitionSpec.of("left", true, "node[1-2]"), leftTier),
                                withTier(
                                        PartitionSpec.of("right", false, "node[3-4]"),
                                        rightTier))));
    }

    private static Heart overlappingPartitions() {
        return registered(
                config(
                        List.of(
                                withTier(PartitionSpec.of("low", true, "ALL"), 1),
                                withTier(PartitionSpec.of("high", false, "ALL"), 10))));
    }

    private static Heart registered(ClusterConfig config) {
        var heart = Heart.configured(config);
        for (var i = 1; i <= 4; i++) {
            heart.register("node" + i, node());
        }
        return heart;
    }

    private static ClusterConfig config(List<PartitionSpec> partitions) {
        return new ClusterConfig(
                "test",
                partitions,
                List.of(NodeSpec.of("node[1-4]", node().shape())),
                ClusterRules.DEFAULTS);
    }

    private static PartitionSpec withTier(PartitionSpec spec, int tier) {
        return with(spec, spec.state(), tier);
    }

    private static PartitionSpec withState(PartitionSpec spec, PartitionState state) {
        return with(spec, state, spec.priorityTier());
    }

    private static PartitionSpec with(PartitionSpec spec, PartitionState state, int tier) {
        return new PartitionSpec(
                spec.name(),
                spec.isDefault(),
                state,
                spec.nodes(),
                Map.of(),
                TimeLimit.UNLIMITED,
                null,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                tier,
                1,
                "OFF",
                0,
                0,
                0,
                0,
                "NO",
                false,
                false,
                0,
                0,
                "",
                TresWeights.NONE);
    }
}
