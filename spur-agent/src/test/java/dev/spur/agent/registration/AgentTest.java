package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.Agent;
import dev.spur.agent.AgentConfig;
import dev.spur.agent.device.Devices;
import dev.spur.agent.launch.Launches;
import dev.spur.agent.step.NativeSupervisor;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.IoData;
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
import io.grpc.stub.StreamObserver;
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
                        256));
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
    void endsACancelledJobAndSaysWhenNothingIsLeft() throws Exception {
        controller.await(AgentMessage::hasHeartbeat);
        launch(batch(13, "sleep 1000"));
        controller.await(message ->
                message.getReport().getKind() == StepReportKind.STEP_STARTED
                        && message.hasReport());

        controller.send(terminate(13, TerminateCause.TERMINATE_CANCELLED));

        assertThat(awaitEnd(13).getExitSignal()).isEqualTo(15);
        controller.await(AgentMessage::hasJobGone);
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

    /// Collects everything until the step service has nothing more to say.
    private static final class StepCaller implements StreamObserver<StepOutput> {
        private final List<StepOutput> outputs = new ArrayList<>();
        private final CompletableFuture<List<StepOutput>> done = new CompletableFuture<>();

        @Override
        public void onNext(StepOutput output) {
            outputs.add(output);
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
