package dev.spur.engine.state;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobState;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeLifeTest {
    private final Heart cluster = Heart.with(2, node());

    @Test
    void configuredNodeThatNeverRegisteredIsUnknown() {
        var fresh =
                Heart.configured(
                        new ClusterConfig(
                                "test",
                                List.of(PartitionSpec.of("debug", true, "ALL")),
                                List.of(NodeSpec.of("node[1-2]", node().shape())),
                                ClusterRules.DEFAULTS));

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
    void jobsOfASilentNodeStayUntilItIsBack() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.apply(new Command.NodeLost(cluster.now(), "node1"));
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
        leased.apply(new Command.NodeLost(leased.now(), "node1"));

        leased.advance(ofMinutes(4));
        assertThat(leased.job(id).state()).isEqualTo(JobState.RUNNING);
        leased.advance(ofMinutes(1));

        assertThat(leased.job(id).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void rebootedNodeHasLostItsJobsAndTheyAreRequeued() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(id).attempt()).isEqualTo(1);
        assertThat(cluster.node("node1").usage()).isEqualTo(Usage.NONE);
    }

    @Test
    void jobThatMayNotBeRequeuedFailsWithItsNode() {
        var id = cluster.run(job().on("node1").requeue(false));
        cluster.begin(id);

        cluster.register("node1", node().booted("boot-2"));

        assertThat(cluster.job(id).state()).isEqualTo(JobState.NODE_FAIL);
    }

    @Test
    void agentThatCameBackWithoutAScriptThatHadBegunHasLostIt() {
        var begun = cluster.run(job().on("node1"));
        cluster.begin(begun);
        var launching = cluster.run(job().on("node1"));

        cluster.register("node1", node());

        assertThat(cluster.job(begun).state()).isEqualTo(JobState.PENDING);
        assertThat(cluster.job(launching).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void administratorsWordThatANodeIsDownFreesItsJobs() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));

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
        assertThat(cluster.job(wanting).reason())
                .hasToString("ReqNodeNotAvail, UnavailableNodes:node1");
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
        cluster.apply(new Command.NodeLost(cluster.now(), "node1"));
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
}
