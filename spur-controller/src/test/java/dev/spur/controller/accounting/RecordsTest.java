package dev.spur.controller.accounting;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ClusterRecord;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.StepUsage;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.RandomLife;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.StepRequest;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.MemoryRequest;
import dev.spur.model.StepId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordsTest {
    @TempDir Path directory;

    private final Heart heart = Heart.with(2, node().cpus(4));

    @Test
    void aJobIsRecordedWithItsScriptFromItsSubmissionToItsEnd() throws IOException {
        record();
        var id = heart.run(job().cpusPerTask(2));
        heart.begin(id);
        heart.advance(Duration.ofMinutes(5));
        heart.endScript(id, 3);
        heart.clean(id);

        var job = jobRecord(id, 0);
        var script = stepRecord(id, 0, StepId.BATCH);

        assertThat(job)
                .returns("FAILED", JobRecord::getState)
                .returns(3, JobRecord::getExitCode)
                .returns("NonZeroExitCode", JobRecord::getReason)
                .returns("node1", JobRecord::getNodeList)
                .returns(2, JobRecord::getAllocCpus)
                .returns(micros(Duration.ZERO), JobRecord::getEligibleMicros)
                .returns(micros(Duration.ZERO), JobRecord::getStartMicros)
                .returns(micros(Duration.ofMinutes(5)), JobRecord::getEndMicros)
                .returns(2L, found -> found.getTresAllocatedOrThrow(TresRegistry.CPU));
        assertThat(script)
                .returns("FAILED", StepRecord::getState)
                .returns(3, StepRecord::getExitCode)
                .returns(micros(Duration.ofMinutes(5)), StepRecord::getEndMicros);
    }

    @Test
    void aJobThatRunsIsRecordedAsRunning() throws IOException {
        record();
        var id = heart.run(job());
        heart.begin(id);

        assertThat(jobRecord(id, 0))
                .returns("RUNNING", JobRecord::getState)
                .returns(0L, JobRecord::getEndMicros);
        assertThat(stepRecord(id, 0, StepId.BATCH)).returns("RUNNING", StepRecord::getState);
    }

    @Test
    void whoCancelledAJobIsRecordedAlsoIfItWasRoot() throws IOException {
        record();
        var waiting = heart.submit(job().held());
        var running = heart.run(job());
        heart.apply(
                new Command.CancelJobs(
                        heart.now(),
                        "",
                        Heart.ALICE,
                        List.of(JobSelector.parse(waiting.toString()))));
        heart.apply(
                new Command.CancelJobs(
                        heart.now(),
                        "",
                        Heart.ADMIN,
                        List.of(JobSelector.parse(running.toString()))));
        heart.clean(running);

        assertThat(jobRecord(waiting, 0))
                .returns("CANCELLED", JobRecord::getState)
                .returns(1002, JobRecord::getCancelledBy);
        assertThat(jobRecord(running, 0))
                .returns("CANCELLED", JobRecord::getState)
                .returns(true, JobRecord::hasCancelledBy)
                .returns(0, JobRecord::getCancelledBy);
        assertThat(stepRecord(running, 0, StepId.BATCH))
                .as("its node said nothing of the script any more")
                .returns("CANCELLED", StepRecord::getState)
                .returns(jobRecord(running, 0).getEndMicros(), StepRecord::getEndMicros);
    }

    @Test
    void aRequeueEndsOneAttemptAndBeginsTheNext() throws IOException {
        record();
        var id = heart.run(job().requeue(true));
        heart.advance(Duration.ofMinutes(1));
        heart.apply(
                new Command.RequeueJobs(
                        heart.now(),
                        "",
                        Heart.ALICE,
                        List.of(JobSelector.parse(id.toString())),
                        false,
                        false,
                        false));
        heart.clean(id);

        assertThat(jobRecord(id, 0))
                .returns("REQUEUED", JobRecord::getState)
                .returns(micros(Duration.ofMinutes(1)), JobRecord::getEndMicros)
                .returns(false, JobRecord::hasCancelledBy);
        assertThat(jobRecord(id, 1))
                .returns("PENDING", JobRecord::getState)
                .returns(0L, JobRecord::getStartMicros)
                .returns(1, JobRecord::getRestarts);
    }

    @Test
    void anAttemptThatANodeEndedSaysSo() throws IOException {
        record();
        var id = heart.run(job().requeue(true));
        heart.apply(
                new Command.UpdateNodes(
                        heart.now(),
                        "",
                        Heart.ADMIN,
                        heart.nodesOf(id),
                        List.of(new NodeChange.Down("broken"))));
        heart.clean(id);

        assertThat(jobRecord(id, 0)).returns("NODE_FAIL", JobRecord::getState);
        assertThat(stepRecord(id, 0, StepId.BATCH)).returns("NODE_FAIL", StepRecord::getState);
        assertThat(jobRecord(id, 1)).returns("PENDING", JobRecord::getState);
    }

    @Test
    void timeThatAJobWasSuspendedIsRecorded() throws IOException {
        record();
        var id = heart.run(job());
        heart.begin(id);
        var one = List.of(JobSelector.parse(id.toString()));
        heart.advance(Duration.ofSeconds(10));
        heart.apply(new Command.SuspendJobs(heart.now(), "", Heart.ADMIN, one, true));

        assertThat(jobRecord(id, 0))
                .returns("SUSPENDED", JobRecord::getState)
                .returns(micros(Duration.ofSeconds(10)), JobRecord::getSuspendedSinceMicros);
        heart.advance(Duration.ofSeconds(30));
        heart.apply(new Command.ResumeJobs(heart.now(), "", Heart.ADMIN, one));
        heart.advance(Duration.ofSeconds(5));
        heart.endScript(id, 0);
        heart.clean(id);

        assertThat(jobRecord(id, 0))
                .returns("COMPLETED", JobRecord::getState)
                .returns(30L, JobRecord::getSuspendedSeconds);
        assertThat(stepRecord(id, 0, StepId.BATCH)).returns(30L, StepRecord::getSuspendedSeconds);
    }

    @Test
    void theRecordOfAnArrayStandsForTheTasksThatWait() throws IOException {
        record();
        var id = heart.submit(job().array("0-5").cpusPerTask(4));

        assertThat(jobRecord(id, 0)).returns("0-5", JobRecord::getArrayPending);
        heart.schedule();

        assertThat(jobRecord(id, 0))
                .returns("2-5", JobRecord::getArrayPending)
                .returns(4, JobRecord::getArrayTaskCount);
        assertThat(jobRecord(heart.task(id, 1).id(), 0))
                .returns(id.value(), JobRecord::getArrayJobId)
                .returns(1, JobRecord::getArrayTaskId)
                .returns("RUNNING", JobRecord::getState);
    }

    @Test
    void whatAStepUsedIsSummedOverItsNodes() throws IOException {
        record();
        var id = heart.run(job().nodes(2).tasks(4));
        var step = step(id, onTwoNodes());
        for (var name : step.nodeNames()) {
            var isFirst = name.equals("node1");
            heart.apply(
                    new Command.StepEnded(
                            heart.now(),
                            id,
                            0,
                            step.id(),
                            name,
                            new StepEnd(
                                    ExitStatus.SUCCESS,
                                    false,
                                    false,
                                    false,
                                    isFirst ? 1_000_000 : 3_000_000,
                                    500_000,
                                    isFirst ? 100 : 300,
                                    heart.now(),
                                    heart.now(),
                                    "")));
        }

        var usage = stepRecord(id, 0, step.id()).getUsage();
        assertThat(usage.getUserMicros()).isEqualTo(4_000_000);
        assertThat(usage.getSystemMicros()).isEqualTo(1_000_000);
        assertThat(usage.getMaxRssKb()).isEqualTo(300);
        assertThat(usage.getMaxRssNode()).isEqualTo("node2");
        assertThat(usage.getAveRssKb()).isEqualTo(200);
        assertThat(usage.getMinCpuNode()).isEqualTo("node1");
        assertThat(usage.getTasks()).isEqualTo(4);
    }

    @Test
    void taskThatUsedMostIsRecordedWithItsNode() throws IOException {
        record();
        var id = heart.run(job().nodes(2).tasks(4));
        var step = step(id, onTwoNodes());
        for (var name : step.nodeNames()) {
            var isFirst = name.equals("node1");
            heart.apply(
                    new Command.StepEnded(
                            heart.now(),
                            id,
                            0,
                            step.id(),
                            name,
                            new StepEnd(
                                    ExitStatus.SUCCESS,
                                    false,
                                    false,
                                    false,
                                    3_000_000,
                                    0,
                                    0,
                                    heart.now(),
                                    heart.now(),
                                    "",
                                    UsageMapper.toModel(isFirst ? first() : second()))));
        }

        var usage = stepRecord(id, 0, step.id()).getUsage();
        assertThat(usage)
                .returns("node2", StepUsage::getMaxRssNode)
                .returns(3, StepUsage::getMaxRssTask)
                .returns(500L, StepUsage::getMaxRssKb)
                .returns(1_000L, StepUsage::getTotalRssKb)
                .returns(250L, StepUsage::getAveRssKb)
                .returns("node1", StepUsage::getMinCpuNode)
                .returns(1, StepUsage::getMinCpuTask)
                .returns("node1", StepUsage::getMaxWriteNode)
                .returns(0, StepUsage::getMaxWriteTask)
                .returns(77L, StepUsage::getMaxWriteBytes)
                .returns(900L, StepUsage::getMemoryPeakKb)
                .returns(1_500_000L, StepUsage::getAveCpuMicros);
    }

    /// Of ranks 0 and 1.
    private static StepUsage first() {
        return StepUsage.newBuilder()
                .setMaxRssKb(300)
                .setTotalRssKb(400)
                .setMinCpuMicros(1_000_000)
                .setMinCpuTask(1)
                .setMaxWriteBytes(77)
                .setTotalWriteBytes(77)
                .setMemoryPeakKb(900)
                .build();
    }

    /// Of ranks 2 and 3.
    private static StepUsage second() {
        return StepUsage.newBuilder()
                .setMaxRssKb(500)
                .setMaxRssTask(3)
                .setTotalRssKb(600)
                .setMinCpuMicros(1_500_000)
                .setMinCpuTask(2)
                .setMemoryPeakKb(700)
                .build();
    }

    @Test
    void whoCancelledAStepIsRecorded() throws IOException {
        record();
        var id = heart.run(job());
        var step = step(id, StepRequest.of("hostname"));
        heart.apply(
                new Command.CancelJobs(
                        heart.now(),
                        "",
                        Heart.ALICE,
                        List.of(JobSelector.parse(id + "." + step.id()))));
        heart.apply(
                new Command.StepEnded(
                        heart.now(), id, 0, step.id(), "node1", heart.end(new ExitStatus(0, 15))));

        assertThat(stepRecord(id, 0, step.id()))
                .returns("CANCELLED", StepRecord::getState)
                .returns(1002, StepRecord::getCancelledBy);
    }

    @Test
    void aNodeIsRecordedWhenItServesOrNoLongerDoesAndNotWithEachJob() throws IOException {
        record();
        drain("node1", new NodeChange.Drain("fan"));
        var id = heart.run(job());
        heart.endScript(id, 0);
        heart.clean(id);
        drain("node1", new NodeChange.Undrain());

        assertThat(recorded().nodes().stream().filter(found -> found.getName().equals("node1")))
                .extracting(NodeRecord::getServes, NodeRecord::getState, NodeRecord::getReason)
                .containsExactly(
                        tuple(true, "UP", ""), tuple(false, "DRAIN", "fan"), tuple(true, "UP", ""));
    }

    @Test
    void whatANodeBringsIsKnownToTheClusterBeforeAnybodyCountsByIt() throws IOException {
        record();
        heart.register("node9", node().cpus(8).gpus("tesla", 4));

        var news = recorded().records().reversed().subList(0, 2);

        assertThat(news.getFirst().getNode().getName()).isEqualTo("node9");
        assertThat(news.getLast().getCluster().getTresOrThrow(TresRegistry.CPU)).isEqualTo(16);
        assertThat(news.getLast().getCluster().getRegistryList())
                .anyMatch(tres -> tres.getType().equals("gres") && tres.getName().equals("gpu"));
    }

    @Test
    void whereADatabaseBeginsEverythingThatIsAliveIsRecorded() throws IOException {
        var running = heart.run(job());
        var waiting = heart.submit(job().held());
        record();

        assertThat(recorded().records().getFirst().getCluster())
                .returns(true, ClusterRecord::getBegins)
                .returns("test", ClusterRecord::getName)
                .returns("node[1-2]", ClusterRecord::getNodes);
        assertThat(recorded().nodes()).hasSize(2);
        assertThat(jobRecord(running, 0)).returns("RUNNING", JobRecord::getState);
        assertThat(jobRecord(waiting, 0)).returns("PENDING", JobRecord::getState);
        assertThat(stepRecord(running, 0, StepId.BATCH)).returns("RUNNING", StepRecord::getState);
    }

    @Test
    void beforeThatNothingIsRecorded() throws IOException {
        heart.run(job());

        assertThat(recorded().records()).isEmpty();
    }

    /// What the database has of a job, and what the controllers say of it, is the same.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void theLastRecordOfEveryJobIsWhatTheControllersSayOfIt(long seed) throws IOException {
        var log = life(seed, 400);

        try (var recorded = new RecordedLog(directory)) {
            recorded.apply(log);

            var jobs = recorded.jobs();
            assertThat(recorded.state().jobs().size()).isPositive();
            for (var job : recorded.state().jobs()) {
                assertThat(withoutTime(jobs.get(job.id() + "/" + job.attempt())))
                        .isEqualTo(withoutTime(JobRecords.of(job, recorded.state())));
            }
            jobs.forEach((key, record) -> {
                if (recorded.state().job(new JobId(record.getJobId())).isEmpty()) {
                    assertThat(record.getEndMicros()).as(key).isPositive();
                }
            });
            var steps = recorded.steps();
            steps.forEach((key, step) -> {
                var job = jobs.get(step.getJobId() + "/" + step.getAttempt());
                if (Objects.requireNonNull(job).getEndMicros() == 0) {
                    return;
                }
                var isLive =
                        recorded.state()
                                .job(new JobId(step.getJobId()))
                                .filter(live -> live.attempt() == step.getAttempt())
                                .flatMap(live -> live.steps().find(new StepId(step.getStepId())))
                                .isPresent();
                assertThat(isLive || step.getEndMicros() > 0).as(key).isTrue();
            });
        }
    }

    /// Whatever a controller crashed over, and however far its disk had come, it ends with the
    /// records of one that never stopped.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aReplicaThatIsRestartedHasTheRecordsOfOneThatIsNot(long seed) throws IOException {
        var log = life(seed, 300);
        var random = new Random(seed);
        try (var one = new RecordedLog(directory.resolve("one"));
                var other = new RecordedLog(directory.resolve("other"))) {
            one.apply(log, 3);
            for (var end = 0; end < log.size(); end += 3 * (1 + random.nextInt(20))) {
                other.apply(log.subList(0, end), 3);
                switch (random.nextInt(3)) {
                    case 0 -> other.takeSnapshot();
                    case 1 -> other.restart();
                    default -> {}
                }
            }
            other.apply(log, 3);

            assertThat(other.records()).isEqualTo(one.records());
            assertThat(one.records()).hasSizeGreaterThan(50);
        }
    }

    /// Fifty commands before a database comes, then what happens from there on.
    private static List<Command> life(long seed, int steps) {
        var life = new RandomLife(seed);
        for (var i = 0; i < 50; i++) {
            life.step();
        }
        life.cluster().apply(new Command.BeginRecords(life.cluster().now(), "a"));
        for (var i = 0; i < steps; i++) {
            life.step();
        }
        return life.cluster().log();
    }

    /// A priority that nobody changed is not worth a record.
    private static JobRecord withoutTime(@Nullable JobRecord record) {
        return Objects.requireNonNull(record).toBuilder().clearPriority().build();
    }

    private void record() {
        heart.apply(new Command.BeginRecords(heart.now(), "a"));
    }

    private void drain(String name, NodeChange change) {
        heart.apply(
                new Command.UpdateNodes(
                        heart.now(), "", Heart.ADMIN, List.of(name), List.of(change)));
    }

    private static StepRequest onTwoNodes() {
        return new StepRequest(
                "hostname",
                2,
                2,
                4,
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

    private Step step(JobId id, StepRequest request) {
        heart.step(id, request);
        return heart.job(id).steps().live().getLast();
    }

    private int controllers;

    private RecordedLog recorded() throws IOException {
        try (var log = new RecordedLog(directory.resolve("controller" + controllers++))) {
            log.apply(new ArrayList<>(heart.log()));
            return log;
        }
    }

    private JobRecord jobRecord(JobId id, int attempt) throws IOException {
        return Objects.requireNonNull(recorded().jobs().get(id + "/" + attempt));
    }

    private StepRecord stepRecord(JobId id, int attempt, StepId step) throws IOException {
        return Objects.requireNonNull(recorded().steps().get(id + "/" + attempt + "." + step));
    }

    private static long micros(Duration after) {
        return InstantMapper.toMicros(Heart.START.plus(after));
    }
}
