package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.Agent;
import dev.spur.agent.AgentConfig;
import dev.spur.agent.WrittenLog;
import dev.spur.agent.device.Devices;
import dev.spur.agent.launch.Commands;
import dev.spur.agent.launch.Launches;
import dev.spur.agent.step.NativeSupervisor;
import dev.spur.agent.step.StepJournal;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.LaunchFault;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.api.v1.TerminateCause;
import dev.spur.api.v1.TerminateJob;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf(value = "isRoot", disabledReason = "needs root, to run tasks as another user")
final class AgentTest {
    @TempDir Path directory;
    private FakeController controller;
    private HostAndPort address;
    private Agent agent;

    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    @BeforeEach
    void start() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        controller = new FakeController();
        address = controller.address();
        agent = startAgent();
    }

    @AfterEach
    void stop() {
        agent.close();
        agent.stopLauncher();
        controller.close();
    }

    private Agent startAgent() throws Exception {
        return Agent.start(
                new AgentConfig(
                        "node1",
                        List.of(address),
                        new HostAndPort("127.0.0.1", 0),
                        "127.0.0.1",
                        directory.resolve("spool"),
                        NativeSupervisor.program(),
                        null,
                        new NodeFacts.Hardware(8, 1, 8, 1, 16_000, 1_000),
                        Devices.pretend(List.of("gpu:mi300x:8")),
                        Map.of("rack", "r1"),
                        true,
                        false,
                        Path.of("/etc/spur/spur.conf"),
                        "inherit",
                        256,
                        Commands.USUAL));
    }

    @Test
    void registersWithWhatTheNodeHas() {
        var register = controller.await(AgentMessage::hasRegister).getRegister();

        assertThat(register.getNode()).isEqualTo("node1");
        assertThat(register.getCpus()).isEqualTo(8);
        assertThat(register.getAddress()).isEqualTo("127.0.0.1:" + agent.port());
        assertThat(register.getGresList())
                .singleElement()
                .extracting("count", "type")
                .containsExactly(8, "mi300x");
        assertThat(register.getLabelsMap()).containsEntry("rack", "r1");
        assertThat(controller.await(AgentMessage::hasHeartbeat)).isNotNull();
    }

    @Test
    void runsABatchJobAndReportsItUntilAcknowledged() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);

        launch(batch(12, "echo hello; exit 4"));
        var end = awaitEnd(12);

        assertThat(end.getExitCode()).isEqualTo(4);
        assertThat(directory.resolve("slurm-12.out")).content().isEqualTo("hello\n");
        assertThat(stepDirectories()).containsExactly("12.batch.0");
        controller.acknowledge(end.getSequence());
        controller.send(terminate(12, TerminateCause.TERMINATE_COMPLETED));
        controller.await(message -> message.hasJobGone() && message.getJobGone().getJobId() == 12);
    }

    @Test
    void jobThatASignalEndsReadsThatItWasCancelledAndNothingMore() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        launch(batch(14, "sleep 1000"));
        controller.await(message ->
                message.getReport().getKind() == StepReportKind.STEP_STARTED
                        && message.hasReport());

        controller.send(
                ControllerMessage.newBuilder()
                        .setSignal(
                                SignalStep.newBuilder()
                                        .setJobId(14)
                                        .setSignal(9)
                                        .setTarget(SignalTarget.SIGNAL_TARGET_FULL)));

        assertThat(awaitEnd(14).getExitSignal()).isEqualTo(9);
        assertThat(Files.readString(directory.resolve("slurm-14.out")))
                .matches(
                        "slurmstepd-node1: error: \\*\\*\\* JOB 14 ON node1 CANCELLED AT [-0-9T:]+ \\*\\*\\*\n");
    }

    @Test
    void endsACancelledJobAndSaysWhenNothingIsLeft() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        launch(batch(13, "sleep 1000"));
        controller.await(message ->
                message.getReport().getKind() == StepReportKind.STEP_STARTED
                        && message.hasReport());

        controller.send(terminate(13, TerminateCause.TERMINATE_CANCELLED));

        var end = awaitEnd(13);
        assertThat(end.getExitSignal()).isEqualTo(15);
        assertThat(end.getNothingLeft()).isTrue();
        assertThat(Files.readString(directory.resolve("slurm-13.out")))
                .matches(
                        "slurmstepd-node1: error: \\*\\*\\* JOB 13 ON node1 CANCELLED AT [-0-9T:]+ \\*\\*\\*\n");
    }

    @Test
    void refusesALaunchThatComesAfterTheEndOfItsJob() {
        controller.await(AgentMessage::hasHeartbeat);
        controller.send(terminate(14, TerminateCause.TERMINATE_CANCELLED));
        controller.await(AgentMessage::hasJobGone);

        launch(batch(14, "true"));

        assertThat(controller.await(AgentMessage::hasLaunchFailed).getLaunchFailed().getReason())
                .isEqualTo("job 14 has ended on this node");
    }

    @Test
    void refusesALaunchThatTheControllerDidNotSign() {
        controller.await(AgentMessage::hasHeartbeat);

        controller.send(
                ControllerMessage.newBuilder()
                        .setLaunch(
                                Launches.signed(batch(15, "true")).toBuilder()
                                        .setSignature(Launches.bytes("x".repeat(32)))));

        assertThat(controller.await(AgentMessage::hasLaunchFailed).getLaunchFailed().getReason())
                .contains("not signed");
    }

    @Test
    void blamesALaunchThatMakesNoSenseAndNotTheNode() {
        controller.await(AgentMessage::hasHeartbeat);
        var nonsense =
                List.of(
                        batch(31, "true").addScriptArgs("a\0b"),
                        batch(32, "true").setWorkDir("/tmp/a\0b"),
                        batch(33, "true").setStdOut("a\0b"),
                        batch(34, "true").setStdIn("a\0b"),
                        batch(35, "true").setJobName("a\0b"));

        for (var launch : nonsense) {
            launch(launch);
            assertThat(controller.await(AgentMessage::hasLaunchFailed).getLaunchFailed())
                    .satisfies(failed -> {
                        assertThat(failed.getJobId()).isEqualTo(launch.getJobId());
                        assertThat(failed.getFault()).isEqualTo(LaunchFault.FAULT_LAUNCH);
                        assertThat(failed.getReason()).isNotEmpty();
                    });
        }
    }

    @Test
    void failsAJobWhoseOutputCannotBeWrittenAndSaysWhy() {
        controller.await(AgentMessage::hasHeartbeat);

        var why = "Could not open stdout file /no/such/place/out: No such file or directory";
        try (var log = WrittenLog.of(StepJournal.class)) {
            launch(batch(36, "true").setStdOut("/no/such/place/out"));

            var end = awaitEnd(36);
            assertThat(end.getExitSignal()).isEqualTo(53);
            assertThat(end.getMessage()).isEqualTo(why);
            assertThat(log.lines())
                    .contains("INFO job ended here step=36.batch exit=0:53 cause=" + why);
        }
    }

    @Test
    void obeysNoLeaderOfAnOlderTerm() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        controller.epoch(7);
        launch(batch(16, "true"));
        awaitEnd(16);

        controller.epoch(6);
        launch(batch(17, "true"));
        controller.epoch(7);
        launch(batch(18, "true"));
        awaitEnd(18);

        assertThat(directory.resolve("slurm-17.out")).doesNotExist();
    }

    @Test
    void registersWithALeaderOfWhichItWasNeverTold() throws Exception {
        try (var unknown = new FakeController()) {
            controller.follow(unknown.address().toString());
            agent.close();
            agent = startAgent();

            assertThat(unknown.await(AgentMessage::hasRegister).getRegister().getNode())
                    .isEqualTo("node1");
        }
    }

    @Test
    void triesAgainWhereTheLeaderThatIsNamedIsNone() throws Exception {
        controller.await(AgentMessage::hasRegister);
        agent.close();
        controller.follow("no address at all:x");
        agent = startAgent();
        controller.awaitRefusal();

        controller.lead();

        assertThat(controller.await(AgentMessage::hasRegister).getRegister().getNode())
                .isEqualTo("node1");
    }

    @Test
    void launchesTheSameJobOnlyOnce() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);

        launch(batch(19, "echo once >> " + directory.resolve("count")));
        launch(batch(19, "echo once >> " + directory.resolve("count")));
        awaitEnd(19);
        launch(batch(19, "echo once >> " + directory.resolve("count")));
        launch(batch(20, "true"));
        awaitEnd(20);

        assertThat(directory.resolve("count")).content().isEqualTo("once\n");
    }

    @Test
    void adoptsWhatRunsWhenItIsStartedAgain() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        var pipe = directory.resolve("pipe");
        new ProcessBuilder("mkfifo", "-m", "666", pipe.toString()).start().waitFor();
        launch(batch(21, "read x < " + pipe + "; exit $x"));
        controller.await(AgentMessage::hasReport);

        agent.close();
        agent = startAgent();

        var register = controller.await(AgentMessage::hasRegister).getRegister();
        assertThat(register.getJobsList()).singleElement().extracting("jobId").isEqualTo(21);
        Files.writeString(pipe, "9\n");
        assertThat(awaitEnd(21).getExitCode()).isEqualTo(9);
    }

    @Test
    void runsAStepForSrun() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        var channel = channel();
        var caller = new StepCaller();
        var call = StepServiceGrpc.newStub(channel).run(caller);

        call.onNext(
                StepInput.newBuilder()
                        .setRun(
                                Launches.run(
                                        Launches.step(22, 0, 2),
                                        "sh",
                                        "-c",
                                        "cat; echo $SLURM_PROCID >&2; exit $SLURM_PROCID"))
                        .build());
        call.onNext(
                StepInput.newBuilder()
                        .setStdin(
                                IoData.newBuilder()
                                        .setTask(-1)
                                        .setData(Launches.bytes("hi\n"))
                                        .setEof(true))
                        .build());
        var outputs = caller.done.get(30, TimeUnit.SECONDS);
        channel.shutdownNow();

        assertThat(text(outputs, 1, 0)).isEqualTo("hi\n");
        assertThat(text(outputs, 2, 1)).isEqualTo("1\n");
        assertThat(
                        outputs.stream()
                                .filter(StepOutput::hasTaskEnded)
                                .map(output -> output.getTaskEnded().getExitCode()))
                .containsExactlyInAnyOrder(0, 1);
        assertThat(outputs).anyMatch(StepOutput::hasStarted);
        assertThat(outputs.getLast().hasStepEnded()).isTrue();
        assertThat(awaitEnd(22).getExitCode()).isEqualTo(1);
    }

    @Test
    void srunOfTheNextAttemptRunsItsOwnStepAlsoIfNobodyHasReadTheOneBefore() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        var channel = channel();
        var former = new StepCaller();
        var hangingUp = StepServiceGrpc.newStub(channel).run(former);
        hangingUp.onNext(run(Launches.step(24, 0, 1), "sh", "-c", "echo former; exit 3"));
        controller.acknowledge(awaitEnd(24).getSequence());
        controller.send(terminate(24, TerminateCause.TERMINATE_REQUEUE));
        controller.await(AgentMessage::hasJobGone);

        var next = new StepCaller();
        StepServiceGrpc.newStub(channel)
                .run(next)
                .onNext(run(Launches.step(24, 0, 1).setAttempt(1), "echo", "next"));
        var outputs = next.done.get(30, TimeUnit.SECONDS);
        channel.shutdownNow();

        assertThat(text(outputs, 1, 0)).isEqualTo("next\n");
        assertThat(outputs)
                .filteredOn(StepOutput::hasTaskEnded)
                .singleElement()
                .extracting(output -> output.getTaskEnded().getExitCode())
                .isEqualTo(0);
    }

    private static StepInput run(StepLaunch.Builder launch, String... command) {
        return StepInput.newBuilder().setRun(Launches.run(launch, command)).build();
    }

    @Test
    void killsAStepAtOnceWhenOnlyTheStepIsCancelled() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        var channel = channel();
        var caller = new StepCaller();
        StepServiceGrpc.newStub(channel)
                .run(caller)
                .onNext(
                        StepInput.newBuilder()
                                .setRun(Launches.run(Launches.step(37, 0, 1), "sleep", "1000"))
                                .build());
        controller.await(AgentMessage::hasReport);

        controller.send(
                ControllerMessage.newBuilder()
                        .setTerminate(
                                TerminateJob.newBuilder()
                                        .setJobId(37)
                                        .setStepId(0)
                                        .setCause(TerminateCause.TERMINATE_CANCELLED)
                                        .setKillWaitSeconds(30)));

        assertThat(awaitEnd(37).getExitSignal()).isEqualTo(9);
        channel.shutdownNow();
    }

    @Test
    void tellsSrunToComeAgainWhileItKnowsNoController() throws Exception {
        controller.close();
        agent.close();
        agent = startAgent();
        var channel = channel();
        var caller = new StepCaller();

        StepServiceGrpc.newStub(channel)
                .run(caller)
                .onNext(
                        StepInput.newBuilder()
                                .setRun(Launches.run(Launches.step(23, 0, 1), "true"))
                                .build());

        assertThat(caller.done)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("UNAVAILABLE");
        channel.shutdownNow();
    }

    private ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", agent.port()).usePlaintext().build();
    }

    private static String text(List<StepOutput> outputs, int stream, int task) {
        var text = new StringBuilder();
        for (var output : outputs) {
            var data = stream == 1 ? output.getStdout() : output.getStderr();
            if ((stream == 1 ? output.hasStdout() : output.hasStderr()) && data.getTask() == task) {
                text.append(data.getData().toStringUtf8());
            }
        }
        return text.toString();
    }

    private StepLaunch.Builder batch(int job, String commands) {
        return Launches.batch(job, "#!/bin/bash\n" + commands + "\n")
                .setWorkDir(directory.toString());
    }

    private void launch(StepLaunch.Builder launch) {
        controller.send(ControllerMessage.newBuilder().setLaunch(Launches.signed(launch)));
    }

    private StepReport awaitEnd(int job) {
        return controller
                .await(message ->
                        message.hasReport()
                                && message.getReport().getJobId() == job
                                && message.getReport().getKind() == StepReportKind.STEP_ENDED)
                .getReport();
    }

    private static ControllerMessage.Builder terminate(int job, TerminateCause cause) {
        return ControllerMessage.newBuilder()
                .setTerminate(
                        TerminateJob.newBuilder()
                                .setJobId(job)
                                .setCause(cause)
                                .setKillWaitSeconds(5));
    }

    private List<String> stepDirectories() throws IOException {
        try (var entries = Files.list(directory.resolve("spool").resolve("steps"))) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    /// Collects everything until the step service has nothing more to say, and tells it so as srun
    /// does.
    private static final class StepCaller implements ClientResponseObserver<StepInput, StepOutput> {
        private @Nullable ClientCallStreamObserver<StepInput> call;
        private final List<StepOutput> outputs = new ArrayList<>();
        private final CompletableFuture<List<StepOutput>> done = new CompletableFuture<>();

        @Override
        public void beforeStart(ClientCallStreamObserver<StepInput> requests) {
            call = requests;
        }

        @Override
        public void onNext(StepOutput output) {
            outputs.add(output);
            if (output.hasStepEnded() && call != null) {
                call.onCompleted();
            }
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            done.complete(outputs);
        }
    }
}
