package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.PartitionSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How much the state has to look at, counted, so that the machine does not matter.
class StateEffortTest {
    private static final int MANY = 200;

    /// More for each thing that happens would grow with the number of all.
    private static final int FEW = 20;

    @Test
    void aJobLeavesManyNodesWithTheSameLittleEffortForEach() {
        var cluster = Heart.with(MANY, node());
        var wide = cluster.run(job().nodes(MANY));
        cluster.cancel(wide.toString(), Heart.ALICE);
        var before = cluster.state().effort();

        cluster.clean(wide);

        assertThat(cluster.job(wide).isEnded()).isTrue();
        assertThat(cluster.state().effort() - before).isLessThan(FEW * MANY);
    }

    @Test
    void tasksThatWaitForTheirCounterpartsAreFoundOneByOne() {
        var cluster = Heart.with(1, node().cpus(MANY));
        var first = cluster.submit(job().array("1-" + MANY));
        var second = cluster.submit(job().array("1-" + MANY).dependency("aftercorr:" + first));
        cluster.schedule();
        var before = cluster.state().effort();

        for (var task = 1; task <= MANY; task++) {
            cluster.finish(cluster.task(first, task).id(), 0);
        }

        assertThat(cluster.task(second, MANY).queueing().eligibleAt()).isNotNull();
        assertThat(cluster.state().effort() - before).isLessThan(FEW * MANY);
    }

    @Test
    void jobsThatWaitToBeTheOnlyOneOfTheirNameFollowOneAnother() {
        var cluster = Heart.with(1, node());
        var first = cluster.submit(job().named("solo").dependency("singleton"));
        for (var i = 1; i < MANY; i++) {
            cluster.submit(job().named("solo").dependency("singleton"));
        }
        var before = cluster.state().effort();

        for (var id = first.value(); id < first.value() + MANY - 1; id++) {
            cluster.cancel(Integer.toString(id), Heart.ALICE);
        }

        assertThat(cluster.job(new JobId(first.value() + MANY - 1)).queueing().eligibleAt())
                .isNotNull();
        assertThat(cluster.state().effort() - before).isLessThan(FEW * MANY);
    }

    @Test
    void tasksThatAreNamedOneByOneAreFoundOneByOne() {
        var cluster = Heart.with(1, node());
        var array = cluster.submit(job().array("1-" + MANY).held());
        var before = cluster.state().effort();

        for (var task = 1; task <= MANY; task++) {
            cluster.cancel(array + "_" + task, Heart.ALICE);
        }

        assertThat(cluster.task(array, MANY).isEnded()).isTrue();
        assertThat(cluster.state().effort() - before).isLessThan(FEW * MANY);
    }

    @Test
    void nodesThatNobodyConfiguredComeWithTheSameLittleEffortForEach() {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(
                                PartitionSpec.of("all", true, "ALL"),
                                PartitionSpec.of("some", false, "node[1-7]")),
                        List.of(),
                        ClusterRules.DEFAULTS);
        var cluster = Heart.configured(config);
        var before = cluster.state().effort();

        for (var i = 1; i <= MANY; i++) {
            cluster.register("node" + i, node());
        }

        assertThat(cluster.snapshot().partition("all").orElseThrow().nodes().size())
                .isEqualTo(MANY);
        assertThat(cluster.snapshot().partition("some").orElseThrow().nodes().size()).isEqualTo(7);
        assertThat(cluster.state().effort() - before).isLessThan(FEW * MANY);
    }

    @Test
    void nodesThatStayAsTheyAreAreNotComparedAgain() {
        var cluster = Heart.with(MANY, node());
        var classes = cluster.snapshot().nodeClasses();

        cluster.register("node7", node());
        cluster.run(job().nodes(3));

        assertThat(cluster.snapshot().nodeClasses()).isSameAs(classes);
    }
}
