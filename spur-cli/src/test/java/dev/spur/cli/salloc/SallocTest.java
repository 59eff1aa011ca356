package dev.spur.cli.salloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.cli.OfAnEarlierDoor;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.FakeController;
import dev.spur.model.ErrorCode;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SallocTest {
    private static final Job RUNNING =
            Job.newBuilder()
                    .setJobId(7)
                    .setName("interactive")
                    .setState("RUNNING")
                    .setBaseState("RUNNING")
                    .setPartition("debug")
                    .setNodeList("node[1-2]")
                    .setNumNodes(2)
                    .addNodes(NodeAllocation.newBuilder().setNode("node1").setCpus(2).setTasks(2))
                    .addNodes(NodeAllocation.newBuilder().setNode("node2").setCpus(1).setTasks(1))
                    .build();

    private final FakeController controller = start();

    @AfterEach
    void stop() {
        controller.close();
    }

    @Test
    void commandRunsInTheAllocationAndItsEndEndsTheJob() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var in = call("-N2", "-n3", "make", "-j").childrenExitWith(_ -> 5);

        assertThat(salloc(in)).isEqualTo(5);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        salloc: Granted job allocation 7
                        salloc: Relinquishing job allocation 7
                        """);
        assertThat(in.spawned()).containsExactly(List.of("make", "-j"));
        assertThat(controller.finished.getFirst().getExitCode()).isEqualTo(5);
        assertThat(controller.onlySubmission().getSpec().getName()).isEqualTo("interactive");
    }

    @Test
    void callerWhoLeavesItsCommandIsNoFault() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var follower = Thread.currentThread();
        var waiter = new CompletableFuture<Thread>();
        var in =
                call("make")
                        .leavesChildren(() -> {
                            waiter.complete(Thread.currentThread());
                            follower.interrupt();
                        });
        var faults = new CopyOnWriteArrayList<Throwable>();
        var before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, fault) -> faults.add(fault));
        try {
            assertThatThrownBy(() -> salloc(in)).isInstanceOf(InterruptedException.class);
            waiter.join().join();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }

        assertThat(faults).isEmpty();
    }

    @Test
    void commandThatDoesNotExistIsSaidAndTheJobGivenBack() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var in = call("nosuchcmd").childrenAreMissing();

        assertThat(salloc(in)).isEqualTo(1);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        salloc: Granted job allocation 7
                        salloc: error: Unable to find command "nosuchcmd"
                        salloc: Relinquishing job allocation 7
                        """);
    }

    @Test
    void withoutCommandTheCallersShellRuns() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var in = call().with("SHELL", "/bin/zsh");

        assertThat(salloc(in)).isZero();

        assertThat(in.spawned()).containsExactly(List.of("/bin/zsh"));
    }

    @Test
    void commandThatGoesOnBehindAnotherDoorWaitsForAController() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build()).awayFor(2);
        var in = call("true").childrenExitWith(_ -> 0).memory(new OfAnEarlierDoor());

        assertThat(salloc(in)).isZero();

        assertThat(in.complained())
                .startsWith("salloc: no controller answers, waiting for one ...\n")
                .doesNotContain("failed");
    }

    @Test
    void commandThatIsNewGivesUpWhenNoControllerAnswers() throws Exception {
        controller.awayFor(2);
        var in = call("true");

        assertThat(salloc(in)).isEqualTo(1);

        assertThat(in.complained()).contains("Job submit/allocate failed", "may or may not have");
    }

    @Test
    void commandRunsInTheDirectoryThatWasAskedFor() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var in = call("-D", "/tmp", "pwd").childrenExitWith(_ -> 0);

        assertThat(salloc(in)).isZero();

        assertThat(in.spawned())
                .containsExactly(List.of("sh", "-c", "cd -- \"$0\" && exec \"$@\"", "/tmp", "pwd"));
    }

    @Test
    void heterogeneousJobsAreRefusedBeforeAnythingIsAllocated() throws Exception {
        var in = call("-n1", ":", "-n2", "true");

        assertThat(salloc(in)).isEqualTo(1);

        assertThat(in.complained()).contains("not supported yet");
        assertThat(controller.submitted).isEmpty();
    }

    @Test
    void hintsThatCannotChangeTheResultAreTakenWithOneLineOfWarning() throws Exception {
        controller.updates(JobUpdate.newBuilder().setJob(RUNNING).build());
        var in =
                call(
                                "--switches=1@10",
                                "--acctg-freq=30",
                                "--cpu-freq=high",
                                "--delay-boot=5",
                                "--gpu-freq=medium",
                                "--gres-flags=enforce-binding",
                                "--mem-bind=verbose,local",
                                "--profile=none",
                                "true")
                        .childrenExitWith(_ -> 0);

        assertThat(salloc(in)).isZero();

        assertThat(in.complained())
                .startsWith(
                        "salloc: warning: --acctg-freq, --cpu-freq, --delay-boot, --gpu-freq, --gres-flags, --mem-bind, --profile, --switches: no effect on this cluster\n");
    }

    @Test
    void valuesThatWouldChangeTheResultAreRefused() throws Exception {
        var in = call("--mem-bind=map_mem:0", "true");

        assertThat(salloc(in)).isNotZero();

        assertThat(in.complained()).contains("--mem-bind=map_mem:0 is not supported yet");
    }

    @Test
    void waitingIsAnnounced() throws Exception {
        var pending =
                RUNNING.toBuilder()
                        .setState("PENDING")
                        .setBaseState("PENDING")
                        .setReason("Resources");
        controller.updates(
                JobUpdate.newBuilder().setJob(pending).build(),
                JobUpdate.newBuilder().setJob(RUNNING).build());
        var in = call("--no-shell");

        assertThat(salloc(in)).isZero();

        assertThat(in.complained())
                .isEqualTo(
                        """
                        salloc: Pending job allocation 7
                        salloc: job 7 queued and waiting for resources
                        salloc: job 7 has been allocated resources
                        salloc: Granted job allocation 7
                        """);
        assertThat(controller.finished).isEmpty();
        assertThat(controller.cancelled).isEmpty();
    }

    @Test
    void nodesThatAreNotThereInTimeAreATimeOut() throws Exception {
        controller.updates(
                JobUpdate.newBuilder()
                        .setJob(
                                RUNNING.toBuilder()
                                        .setState("PENDING")
                                        .setBaseState("PENDING")
                                        .setReason("Resources"))
                        .build());
        var in = call("--immediate", "true");

        assertThat(salloc(in)).isEqualTo(1);

        assertThat(in.complained())
                .endsWith("salloc: error: Unable to allocate resources: Connection timed out\n");
        assertThat(controller.cancelled).hasSize(1);
    }

    @Test
    void refusalIsToldInSlurmsWords() throws Exception {
        controller.refusing(ErrorCode.INVALID_PARTITION, "invalid partition specified: nopart");
        var in = call("-p", "nopart", "true");

        assertThat(salloc(in)).isEqualTo(1);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        salloc: error: invalid partition specified: nopart
                        salloc: error: Job submit/allocate failed: Invalid partition name specified
                        """);
    }

    private int salloc(RememberingInvocation in) throws Exception {
        return FakeController.run(new Salloc(controller.connector()), in);
    }

    private static RememberingInvocation call(String... words) {
        return RememberingInvocation.of("salloc", words);
    }

    private static FakeController start() {
        try {
            return new FakeController();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
