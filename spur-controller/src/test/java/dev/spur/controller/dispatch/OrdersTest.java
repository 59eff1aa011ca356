package dev.spur.controller.dispatch;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.TerminateCause;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrdersTest {
    private final Heart cluster = Heart.with(3, node());

    @Test
    void scriptIsLaunchedOnTheFirstNodeUntilItHasBegun() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));

        assertThat(orders(id, "node1")).contains(new Order.Launch(id, 0));
        assertThat(orders(id, "node2")).isNotEmpty().noneMatch(Order.Launch.class::isInstance);
        cluster.begin(id);

        assertThat(orders(id, "node1")).isNotEmpty().noneMatch(Order.Launch.class::isInstance);
    }

    @Test
    void runningJobGoesOnUntilItsLimitOnAllItsNodesAndNoOther() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8).timeLimit(ofMinutes(10)));
        cluster.begin(id);
        var deadline = cluster.now().plus(ofMinutes(10));

        assertThat(orders(id, "node1")).containsExactly(new Order.GoOn(id, 0, deadline));
        assertThat(orders(id, "node2")).containsExactly(new Order.GoOn(id, 0, deadline));
        assertThat(orders(id, "node3")).isEmpty();
    }

    @Test
    void suspendedJobStandsStill() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);

        cluster.apply(new Command.SuspendJobs(cluster.now(), "", Heart.ADMIN, selected(id), true));

        assertThat(orders(id, "node1")).containsExactly(new Order.StandStill(id, 0));
    }

    @Test
    void cancelledStepEndsWhereItRuns() {
        var id = cluster.run(job().on("node1"));
        cluster.begin(id);
        var step = ((Result.StepCreated) cluster.step(id, StepRequest.of("step"))).step();

        cluster.cancel(id + ".0", Heart.ALICE);

        assertThat(orders(id, "node1")).contains(new Order.EndStep(id, 0, step.id()));
    }

    @Test
    void jobThatIsOverEndsOnTheNodesThatAreNotCleanWithItsCause() {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));
        cluster.begin(id);

        cluster.requeue(id.toString(), Heart.ALICE);
        cluster.apply(new Command.JobGone(cluster.now(), id, 0, "node1"));

        assertThat(orders(id, "node1")).isEmpty();
        assertThat(orders(id, "node2"))
                .containsExactly(new Order.End(id, 0, TerminateCause.TERMINATE_REQUEUE));
    }

    @Test
    void jobThatWaitsOrHasEndedIsNobodysBusiness() {
        var ended = cluster.run(job().on("node1"));
        cluster.finish(ended, 0);
        var pending = cluster.submit(job());

        assertThat(orders(pending, "node1")).isEmpty();
        assertThat(orders(ended, "node1")).isEmpty();
    }

    private List<Order> orders(JobId id, String node) {
        return Orders.of(cluster.job(id), node);
    }

    private static List<JobSelector> selected(JobId id) {
        return List.of(JobSelector.of(id));
    }
}
