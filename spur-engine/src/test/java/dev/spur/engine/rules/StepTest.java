package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.MemoryRequest;
import org.junit.jupiter.api.Test;

class StepTest {
    private final Heart cluster = Heart.with(2, node().cpus(4).gpus("tesla", 2));

    @Test
    void stepTakesAllCpusOfItsNodesByDefault() {
        var id = cluster.run(job().allocation().nodes(2).tasksPerNode(4).gpus(2));

        var step = created(cluster.step(id, request(8, 0, false, false)));

        assertThat(step.cpus()).isEqualTo(8);
        assertThat(step.nodes())
                .extracting(part -> part.tasks().toString())
                .containsExactly("0-3", "4-7");
    }

    @Test
    void secondStepWaitsUntilTheFirstHasEnded() {
        var id = cluster.run(job().allocation().tasks(4).nodes(1));
        var first = created(cluster.step(id, request(1, 0, false, false)));

        assertThat(cluster.step(id, request(1, 0, false, false)))
                .isInstanceOf(Result.StepBusy.class);

        cluster.endStep(id, first);
        assertThat(cluster.step(id, request(1, 0, false, false)))
                .isInstanceOf(Result.StepCreated.class);
    }

    @Test
    void exactStepsShareANode() {
        var id = cluster.run(job().allocation().tasks(4).nodes(1));

        var first = created(cluster.step(id, request(1, 2, false, false)));
        var second = created(cluster.step(id, request(2, 0, true, false)));

        assertThat(first.nodes().getFirst().share().cpus()).hasToString("0-1");
        assertThat(second.nodes().getFirst().share().cpus()).hasToString("2-3");
    }

    @Test
    void overlappingStepNeverWaits() {
        var id = cluster.run(job().allocation().tasks(4).nodes(1));
        created(cluster.step(id, request(4, 0, false, false)));

        assertThat(cluster.step(id, request(4, 0, false, true)))
                .isInstanceOf(Result.StepCreated.class);
    }

    @Test
    void devicesForAWholeStepComeFromAllItsNodes() {
        var gpus = Heart.with(2, node().cpus(4).gpus("tesla", 4));
        var id = gpus.run(job().allocation().nodes(2).tasks(2).gpus(4));

        var step = created(gpus.step(id, devices("gpu:5", "")));

        assertThat(step.nodes())
                .extracting(part -> part.share().gres().getFirst().indices().toString())
                .containsExactly("0-2", "0-1");
        assertThat(gpus.step(id, devices("gpu:9", "")))
                .isEqualTo(Result.Refused.of(ErrorCode.INVALID_GRES));
    }

    @Test
    void stepRemembersWhatEachOfItsTasksHasForItself() {
        var gpus = Heart.with(1, node().cpus(4).gpus("tesla", 4));
        var id = gpus.run(job().allocation().tasks(2).gpus(4));

        var step = created(gpus.step(id, devices("", "gpu:2")));

        assertThat(step.layout().gresPerTask()).isEqualTo("gpu:2");
        assertThat(step.nodes().getFirst().share().gres().getFirst().count()).isEqualTo(2);
    }

    @Test
    void stepThatCanNeverFitIsRefused() {
        var id = cluster.run(job().allocation().tasks(4).nodes(1));

        assertThat(cluster.step(id, request(5, 0, false, false)))
                .isEqualTo(Result.Refused.of(ErrorCode.TOO_MANY_CPUS));
    }

    @Test
    void stepThatAsksForMoreNodesThanItsJobHasIsToldHowManyThereAre() {
        var id = cluster.run(job().allocation().nodes(1));

        assertThat(cluster.step(id, onNodes(2)))
                .isEqualTo(
                        new Result.Refused(
                                ErrorCode.NODE_CONFIG_UNAVAILABLE,
                                "Only allocated 1 nodes asked for 2"));
    }

    @Test
    void stepThatIsNotThereCannotBeCancelled() {
        var id = cluster.run(job().allocation().nodes(1));

        assertThat(cluster.cancel(id + ".9", Heart.ADMIN))
                .isInstanceOfSatisfying(
                        Result.PerJob.class,
                        result ->
                                assertThat(result.answers())
                                        .extracting(Result.Answer::code)
                                        .containsExactly(ErrorCode.INVALID_JOB));
    }

    @Test
    void stepThatAsksForMoreDevicesOrMemoryThanItsJobHasIsToldSo() {
        var id = cluster.run(job().allocation().nodes(2).gpus(2).memoryPerNode(1000));

        assertThat(cluster.step(id, request(1, 0, false, false, "gpu:3", "")))
                .as("three GPUs of the one node that one task can have")
                .isEqualTo(Result.Refused.of(ErrorCode.INVALID_GRES));
        assertThat(cluster.step(id, request(1, 0, false, false, "", "gpu:3")))
                .isEqualTo(Result.Refused.of(ErrorCode.INVALID_GRES));
        assertThat(cluster.step(id, memory(2000)))
                .isEqualTo(Result.Refused.of(ErrorCode.INVALID_TASK_MEMORY));
    }

    @Test
    void aStepHasAsManyNodesAsItsDevicesNeed() {
        var id = cluster.run(job().allocation().nodes(2).tasksPerNode(2).gpus(2));

        var step = created(cluster.step(id, request(2, 0, false, false, "gpu:3", "")));

        assertThat(step.nodes()).hasSize(2);
    }

    @Test
    void worstExitOfTheStepsIsRemembered() {
        var id = cluster.run(job().allocation().tasks(4).nodes(1));
        var step = created(cluster.step(id, request(1, 0, false, false)));

        cluster.apply(
                new Command.StepEnded(
                        cluster.now(),
                        id,
                        0,
                        step.id(),
                        "node1",
                        cluster.end(new ExitStatus(7, 0))));

        assertThat(cluster.job(id).steps().worst()).hasToString("7:0");
        assertThat(cluster.job(id).steps().live()).isEmpty();
    }

    private static Step created(Result result) {
        return ((Result.StepCreated) result).step();
    }

    private static StepRequest onNodes(int number) {
        return new StepRequest(
                "true",
                number,
                number,
                number,
                0,
                0,
                "",
                "",
                MemoryRequest.UNSPECIFIED,
                "",
                "",
                "",
                false,
                false,
                null,
                "",
                false,
                false,
                "",
                "",
                "");
    }

    @Test
    void stepsThatAreUnderWayAreBoundedByTheCpusOfTheirJob() {
        var id = cluster.run(job().allocation());
        for (var i = 0; i < 256 + 4; i++) {
            assertThat(cluster.step(id, request(1, 1, false, true)))
                    .isInstanceOf(Result.StepCreated.class);
        }

        assertThat(cluster.step(id, request(1, 1, false, true)))
                .isEqualTo(new Result.StepBusy("job 1 has 260 steps under way, its most"));
    }

    private static StepRequest memory(long mebibytes) {
        return request(1, 0, false, false, "", "", new MemoryRequest.PerNode(mebibytes));
    }

    private static StepRequest devices(String perStep, String perTask) {
        return request(0, 0, false, false, perStep, perTask);
    }

    private static StepRequest request(int tasks, int cpusPerTask, boolean exact, boolean overlap) {
        return request(tasks, cpusPerTask, exact, overlap, "", "");
    }

    private static StepRequest request(
            int tasks,
            int cpusPerTask,
            boolean exact,
            boolean overlap,
            String gresPerStep,
            String gresPerTask) {
        return request(
                tasks,
                cpusPerTask,
                exact,
                overlap,
                gresPerStep,
                gresPerTask,
                MemoryRequest.UNSPECIFIED);
    }

    private static StepRequest request(
            int tasks,
            int cpusPerTask,
            boolean exact,
            boolean overlap,
            String gresPerStep,
            String gresPerTask,
            MemoryRequest memory) {
        return new StepRequest(
                "true",
                0,
                0,
                tasks,
                cpusPerTask,
                0,
                "",
                "",
                memory,
                "",
                gresPerStep,
                gresPerTask,
                exact,
                overlap,
                null,
                "",
                false,
                false,
                "",
                "",
                "");
    }
}
