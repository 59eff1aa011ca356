package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.node.Usage;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobState;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NodeLifeTest {
    private final Heart cluster = Heart.with(2, node());

    @Test
    void configuredNodeThatNeverRegisteredIsUnknown() {
        var fresh = Heart.configured(config(ClusterRules.DEFAULTS));

        assertThat(fresh.node("node1").baseState()).isEqualTo("UNKNOWN");
        assertThat(fresh.node("node1").flags()).containsExactly("NOT_RESPONDING");
    }

    @Test
    void nodeWithLessMemoryThanConfiguredIsDrained() {
        cluster.register("node1", node().memory(3000));

        assertThat(cluster.node("node1").draining()).isTrue();
        assertThat(cluster.node("node1").note().text())
                .isEqualTo("Low RealMemory (reported:3000 < 100.00% of configured:4000)");
    }

    @Test
    void nodeThatIsNotWellIsDrainedUntilItSaysThatItIsWellAgain() {
        cluster.apply(new Command.NodeFault(cluster.now(), "node1", "no file descriptors left"));
        assertThat(cluster.node("node1").isSchedulable()).isFalse();
        assertThat(cluster.node("node1").note().text()).isEqualTo("no file descriptors left");

        cluster.apply(new Command.NodeFault(cluster.now(), "node1", ""));
        assertThat(cluster.node("node1").isSchedulable()).isTrue();
        assertThat(cluster.node("node1").note()).isEqualTo(Node.NodeNote.NONE);
    }

    @Test
    void nodeThatAPersonDrainedStaysSoHoweverWellItFeels() {
        cluster.apply(
                new Command.UpdateNodes(
                        cluster.now(),
                        "",
                        Heart.ADMIN,
                        List.of("node1"),
                        List.of(new NodeChange.Drain("new disks"))));

        cluster.apply(new Command.NodeFault(cluster.now(), "node1", "the disk is full"));
        cluster.apply(new Command.NodeFault(cluster.now(), "node1", ""));

        assertThat(cluster.node("node1").draining()).isTrue();
        assertThat(cluster.node("node1").note().text()).isEqualTo("new disks");
    }

    @Test
    void jobsOfASilentNodeStayUntilItIsBack() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.apply(new Command.NodeLost(cluster.now(), "node1", cluster.now()));
        cluster.advance(ofMinutes(20));
        assertThat(cluster.node("node1").baseState()).isEqualTo("DOWN");
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);

        cluster.register("node1", node(), new Command.JobOnNode(id, 0));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.node("node1").baseState()).isEqualTo("MIXED");
    }

    @Test
    void underLeaseKillJobsOfASilentNodeAreRequeuedWhenItsLeaseIsOver() {
        var leased = Heart.with(2, node(), rules().leaseKill(ofMinutes(5)).build());
        var id = leased.run(job().on("node1"));
        leased.begin(id);
        leased.apply(new Command.GrantLease(leased.now(), "node1", ofMinutes(5), null));
        leased.apply(new Command.NodeLost(leased.now(), "node1", leased.now()));

        leased.advance(ofMinutes(4));
        assertThat(leased.job(id).state()).isEqualTo(JobState.RUNNING);
        leased.advance(ofMinutes(1));

        assertThat(leased.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobsOfASilentNodeThatWasGrantedNoLeaseAreNotRequeuedWhenThePolicyChanges() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.apply(new Command.NodeLost(cluster.now(), "node1", cluster.now()));
        cluster.advance(ofMinutes(30));

        configureLease(ofMinutes(5));
        cluster.apply(new Command.GrantLease(cluster.now(), "node1", ofMinutes(5), null));
        cluster.advance(ofMinutes(30));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void leaseOfASilentNodeLastsAsLongAsItWasGrantedAndFromItsLastWord() {
        configureLease(ofMinutes(10));
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.apply(new Command.GrantLease(cluster.now(), "node1", ofMinutes(10), null));
        cluster.apply(
                new Command.NodeLost(cluster.now(), "node1", cluster.now().minus(ofMinutes(1))));

        configureLease(ofMinutes(1));
        cluster.advance(ofMinutes(8));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
        cluster.advance(ofMinutes(1));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void leaseThatWasDecidedByAnotherConfigurationIsNotGranted() {
        configureLease(ofMinutes(20));
        grantLease(ofMinutes(20), ofMinutes(20));
        configureLease(ofMinutes(10));

        grantLease(ofMinutes(5), ofMinutes(5));
        assertThat(grantedToNode1()).isEqualTo(ofMinutes(20));
        grantLease(ofMinutes(10), ofMinutes(10));
        assertThat(grantedToNode1()).isEqualTo(ofMinutes(10));

        cluster.configure(config(ClusterRules.DEFAULTS));
        grantLease(ofMinutes(5), ofMinutes(5));
        assertThat(grantedToNode1()).isEqualTo(ofMinutes(10));
    }

    private void grantLease(Duration goneWithin, Duration configured) {
        cluster.apply(new Command.GrantLease(cluster.now(), "node1", goneWithin, configured));
    }

    private Duration grantedToNode1() {
        return Objects.requireNonNull(cluster.node("node1").lease()).goneWithin();
    }

    private void configureLease(Duration lease) {
        cluster.configure(config(rules().leaseKill(lease).build()));
    }

    private static ClusterConfig config(ClusterRules rules) {
        return new ClusterConfig(
                "test",
                List.of(PartitionSpec.of("debug", true, "ALL")),
                List.of(NodeSpec.of("node[1-2]", node().shape())),
                rules);
    }

    @Test
    void rebootedNodeHasLostItsJobsAndTheyAreRequeuedWhenItHasAnswered() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"));
        cluster.apply(new Command.JobGone(cluster.now(), id, 0, "node1"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(id).attempt()).isEqualTo(1);
        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
    }

    /// `srun` may have asked for a step before, and hand its launch to the node only now.
    @Test
    void rebootedNodeKeepsWhatItsJobsHadUntilItSaysThatNothingIsLeft() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"));

        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Completing.class);
        assertThat(cluster.node("node1").usage()).isNotEqualTo(Usage.NONE);
    }

    @Test
    void jobThatMayNotBeRequeuedFailsWithItsNode() {
        var id = cluster.run(job().on("node1").requeue(false));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"));
        cluster.apply(new Command.JobGone(cluster.now(), id, 0, "node1"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.NODE_FAIL);
    }

    @Test
    void agentThatCameBackWithoutAScriptThatHadBegunHasLostIt() {
        var begun = cluster.run(job().on("node1"));
        cluster.begin(begun);
        var launching = cluster.run(job().on("node1"));

        cluster.register("node1", node());
        cluster.clean(begun);

        assertThat(cluster.job(begun).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(launching).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void administratorsWordThatASilentNodeIsDownFreesItsJobs() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));
        cluster.apply(new Command.NodeLost(cluster.now(), "node2", cluster.now()));

        cluster.change("node2", new NodeChange.Down("smoke"));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        cluster.apply(new Command.JobGone(cluster.now(), id, 0, "node1"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void drainedNodeTakesNoNewJobsAndKeepsItsOwn() {
        var running = cluster.run(job().on("node1"));
        cluster.change("node1", new NodeChange.Drain("disk"));

        var wanting = cluster.run(job().on("node1"));

        assertThat(cluster.job(running).state()).isEqualTo(JobState.RUNNING);
        assertThat(cluster.reason(wanting)).isEqualTo("ReqNodeNotAvail, UnavailableNodes:node1");
    }

    @Test
    void nodeThatCannotGetRidOfAJobIsToldAgainAndThenDrained() {
        var id = cluster.run(job().on("node1"));
        cluster.endScript(id, 0);
        cluster.takeEvents();

        cluster.advance(ofMinutes(6));
        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.takeEvents()).hasAtLeastOneElementOfType(Event.JobCompleting.class);
        cluster.advance(ofMinutes(6));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);
        assertThat(cluster.node("node1").note().text()).isEqualTo("Kill task failed");
    }

    @Test
    void nodesHaveTheirTimeAgainWhenAnotherControllerTellsThemToEndAJob() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.cancel(id.toString(), Heart.ADMIN);
        cluster.advance(ofMinutes(6)); // told for the second time

        cluster.apply(new Command.LeaderTookOver(cluster.now()));
        cluster.advance(ofMinutes(10));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.node("node1").draining()).isFalse();
    }

    @Test
    void nodeThatWasAwayHasItsTimeToEndAJobWhenItIsBack() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        cluster.apply(new Command.NodeLost(cluster.now(), "node1", cluster.now()));
        cluster.cancel(id.toString(), Heart.ADMIN);
        cluster.advance(ofMinutes(10));

        cluster.register("node1", node(), new Command.JobOnNode(id, 0));
        cluster.advance(ofMinutes(5));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETING);
        assertThat(cluster.node("node1").draining()).isFalse();
    }

    @Test
    void scriptThatHadEndedBeforeItsNodeWasRestartedIsNotLost() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"), new Command.JobOnNode(id, 0));
        cluster.endScript(id, 0);
        cluster.clean(id);

        assertThat(cluster.job(id).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void nodeThatOnlyItsAgentNamesJoinsThePartitionOfAll() {
        cluster.register("extra", node());

        var id = cluster.run(job().on("extra"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void featuresThatANodeOffersDoNotDisappearByNamingOthers() {
        cluster.change("node1", new NodeChange.SetFeatures(List.of("a", "b")));

        assertThat(cluster.change("node1", new NodeChange.SetFeatures(List.of("a"))))
                .isEqualTo(Result.Refused.of(ErrorCode.ACTIVE_FEATURES));
        assertThat(cluster.change("node1", new NodeChange.SetActiveFeatures(List.of("c"))))
                .isEqualTo(Result.Refused.of(ErrorCode.ACTIVE_FEATURES));
        assertThat(cluster.node("node1").features()).containsExactly("a", "b");
        cluster.change("node1", new NodeChange.SetActiveFeatures(List.of("b")));
        assertThat(cluster.node("node1").features()).containsExactly("b");
    }

    @Test
    void featuresOfANodeAreTakenAwayByNamingNoneOrThoseInUse() {
        cluster.change("node1", new NodeChange.SetFeatures(List.of("a", "b")));

        cluster.change(
                "node1",
                new NodeChange.SetFeatures(List.of("c")),
                new NodeChange.SetActiveFeatures(List.of("c")));
        assertThat(cluster.node("node1").features()).containsExactly("c");
        cluster.change("node1", new NodeChange.SetFeatures(List.of()));
        assertThat(cluster.node("node1").features()).isEmpty();
    }

    @Test
    void whatWasChangedByHandStaysUntilTheConfigurationIsReadAgain() {
        cluster.change("node1", new NodeChange.SetFeatures(List.of("a")));
        cluster.change("node1", new NodeChange.SetWeight(7));

        cluster.register("node1", node().features("found"));
        assertThat(cluster.node("node1").features()).containsExactly("a");
        assertThat(cluster.node("node1").weight()).isEqualTo(7);

        cluster.configure(cluster.snapshot().config());
        assertThat(cluster.node("node1").features()).containsExactly("found");
        assertThat(cluster.node("node1").weight()).isEqualTo(1);
    }
}
