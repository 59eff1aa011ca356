package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.PartitionFixture.partition;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.scheduling.StartCommands;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A plan takes time, and meanwhile everything may change: what apply looks at again.
class StartCheckTest {
    private final Heart cluster = Heart.configured(config(PartitionState.UP, "node[1-2]"));

    StartCheckTest() {
        cluster.register("node1", node());
        cluster.register("node2", node());
    }

    @Test
    void jobThatWasChangedMeanwhileIsPlannedAnew() {
        var id = cluster.submit(job().tasks(1).on("node1"));
        var plan = plan();

        cluster.update(id, ALICE, new JobChange.SetTasks(8), new JobChange.SetNodeList("node2"));

        assertThat(carriedOut(plan)).isEmpty();
        cluster.schedule();
        assertThat(cluster.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void newNameIsNoReasonToPlanAnew() {
        var id = cluster.submit(job());
        var plan = plan();

        cluster.update(id, ALICE, new JobChange.SetName("renamed"));

        assertThat(carriedOut(plan)).containsExactly(id);
    }

    @Test
    void nodeThatLeftThePartitionMeanwhileIsNotUsed() {
        cluster.submit(job().on("node2"));
        var plan = plan();

        cluster.configure(config(PartitionState.UP, "node1"));

        assertThat(carriedOut(plan)).isEmpty();
    }

    @Test
    void partitionThatWasClosedMeanwhileStartsNothing() {
        cluster.submit(job());
        var plan = plan();

        cluster.configure(config(PartitionState.DOWN, "node[1-2]"));

        assertThat(carriedOut(plan)).isEmpty();
    }

    @Test
    void jobNeverRunsWithFewerProcessorsThanItAskedFor() {
        var id = cluster.submit(job().tasks(8));

        assertThat(started(id, IndexSet.range(0, 2))).isEmpty();
        assertThat(started(id, IndexSet.range(0, 8))).containsExactly(id);
    }

    @Test
    void jobNeverRunsOnFewerNodesThanItAskedFor() {
        var id = cluster.submit(job().nodes(2).tasks(2));

        assertThat(started(id, IndexSet.range(0, 8))).isEmpty();
    }

    private List<JobId> started(JobId id, IndexSet cpus) {
        var placement = new Placement("debug", List.of(new NodeShare("node1", cpus, 0, List.of())));
        return carriedOut(
                List.of(
                        new Command.StartJobs(
                                cluster.now(), List.of(new Command.JobStart(id, placement, 0)))));
    }

    private List<Command.StartJobs> plan() {
        var snapshot = cluster.snapshot();
        return StartCommands.of(
                snapshot, new BackfillPass().plan(snapshot, cluster.now()), cluster.now());
    }

    private List<JobId> carriedOut(List<Command.StartJobs> plan) {
        return plan.stream()
                .map(cluster::apply)
                .filter(Result.Started.class::isInstance)
                .flatMap(result -> ((Result.Started) result).jobs().stream())
                .toList();
    }

    private static ClusterConfig config(PartitionState state, String nodes) {
        return new ClusterConfig(
                "test",
                List.of(partition("debug").nodes(nodes).state(state).spec()),
                List.of(NodeSpec.of("node[1-2]", node().shape())),
                ClusterRules.DEFAULTS);
    }
}
