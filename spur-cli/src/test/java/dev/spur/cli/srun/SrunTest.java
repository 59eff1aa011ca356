package dev.spur.cli.srun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepNode;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Memory;
import dev.spur.cli.OfAnEarlierDoor;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.FakeController;
import dev.spur.cli.submission.Remembered;
import dev.spur.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SrunTest {
    private final FakeAgent agent = new FakeAgent();
    private final FakeController controller = start(agent);

    @BeforeEach
    void jobStartsAtOnce() {
        controller.updates(running()).creatingSteps(request -> onOneNode(request.getTasks()));
    }

    @AfterEach
    void stop() {
        controller.close();
    }

    @Test
    void runsTheCommandInJobOfItsOwnAndEndsTheJob() throws Exception {
        agent.running((_, step) -> step.started().prints(0, "hello\n").exits(0, 0).end());
        var in = call("hostname", "-s");

        assertThat(srun(in)).isZero();

        assertThat(in.printed()).isEqualTo("hello\n");
        assertThat(in.complained()).isEmpty();
        var spec = controller.onlySubmission().getSpec();
        assertThat(spec.getKind()).isEqualTo(JobKind.JOB_KIND_OWN_STEP);
        assertThat(spec.getName()).isEqualTo("hostname");
        assertThat(agent.launched.getFirst().getArgvList()).containsExactly("hostname", "-s");
        assertThat(agent.launched.getFirst().getCwd()).isEqualTo("/home/alice");
        assertThat(controller.finished)
                .extracting(request -> request.getExitCode())
                .containsExactly(0);
    }

    @Test
    void jobThatMustWaitIsAnnounced() throws Exception {
        controller.updates(pending("Resources"), running());
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var in = call("true");

        assertThat(srun(in)).isZero();

        assertThat(in.complained())
                .isEqualTo(
                        """
                        srun: job 7 queued and waiting for resources
                        srun: job 7 has been allocated resources
                        """);
    }

    @Test
    void jobThatIsCancelledWhileWaitingIsRevoked() throws Exception {
        controller.updates(pending("PartitionNodeLimit"), ended("CANCELLED"));
        var in = call("-N100", "true");

        assertThat(srun(in)).isEqualTo(1);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        srun: Requested partition configuration not available now
                        srun: job 7 queued and waiting for resources
                        srun: Job allocation 7 has been revoked
                        """);
    }

    @Test
    void exitCodeIsTheHighestOfTheTasksAndIsToldInOneLine() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 7).exits(1, 7).exits(2, 3).end());
        var in = call("-n3", "bash", "-c", "exit 7");

        assertThat(srun(in)).isEqualTo(7);

        assertThat(in.complained())
                .isEqualTo(
                        """
                        srun: error: node1: tasks 0-1: Exited with exit code 7
                        srun: error: node1: task 2: Exited with exit code 3
                        """);
        assertThat(controller.finished.getFirst().getExitCode()).isEqualTo(7);
    }

    @Test
    void cancelledStepIsToldAsSlurmDoes() throws Exception {
        var line =
                "slurmstepd-node1: error: *** STEP 7.0 ON node1 CANCELLED AT 2026-11-15T18:53:16 ***\n";
        agent.running((_, step) -> step.started().complains(0, line).dies(0, 15).end());
        var in = call("sleep", "30");

        assertThat(srun(in)).isEqualTo(143);

        assertThat(in.complained())
                .isEqualTo(
                        line
                                + """
                                srun: Job step aborted: Waiting up to 7 seconds for job step to finish.
                                srun: error: node1: task 0: Terminated
                                """);
    }

    @Test
    void labelsNameTheTaskWithTheWidthOfTheHighest() throws Exception {
        agent.running((_, step) ->
                step.started()
                        .prints(0, "a")
                        .prints(10, "x\ny")
                        .prints(0, "b\n")
                        .exits(0, 0)
                        .end());
        var in = call("-l", "-n11", "cmd");

        assertThat(srun(in)).isZero();

        assertThat(in.printed()).isEqualTo("10: x\n 0: ab\n10: y\n");
    }

    @Test
    void inputReachesTheTasksAndItsEndToo() throws Exception {
        agent.running((_, step) -> step.started())
                .answering((input, step) -> {
                    if (input.getStdin().getEof()) {
                        step.exits(0, 0).end();
                    } else {
                        step.prints(0, input.getStdin().getData().toStringUtf8());
                    }
                });
        var in = call("cat").input("typed\n");

        assertThat(srun(in)).isZero();

        assertThat(in.printed()).isEqualTo("typed\n");
    }

    @Test
    void inputHasNotEndedWhenTheDoorCloses() throws Exception {
        var in = call("cat").memory(new SuspendedMemory());
        agent.running((_, step) -> step.started())
                .answering((input, step) -> {
                    if (input.hasSignal()) { // what was said before it has been heard
                        step.exits(0, 0).end();
                    }
                });
        in.input(
                new InputStream() {
                    @Override
                    public int read() {
                        var reader = Thread.currentThread();
                        Thread.startVirtualThread(() -> {
                            try {
                                reader.join();
                                in.send(ProcessSignal.USR1);
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
                        throw new CallerGoneException("the door closes");
                    }
                });

        assertThat(srun(in)).isZero();

        assertThat(agent.heard)
                .filteredOn(StepInput::hasStdin)
                .noneMatch(input -> input.getStdin().getEof());
    }

    /// Of a command that another door goes on with.
    private static final class SuspendedMemory implements Memory {
        @Override
        public boolean isResumed() {
            return false;
        }

        @Override
        public Optional<byte[]> recall(int key) {
            return Optional.empty();
        }

        @Override
        public void keep(int key, byte[] value) {}

        @Override
        public void atOnce(Work work) throws IOException {
            work.run();
        }

        @Override
        public long inputOffset() {
            return 0;
        }

        @Override
        public void inputTaken(long offset) {}

        @Override
        public boolean isSuspended() {
            return true;
        }
    }

    @Test
    void outputGoesWhereItsNameSays() throws Exception {
        agent.running((_, step) ->
                step.started()
                        .prints(0, "zero\n")
                        .prints(1, "one\n")
                        .exits(0, 0)
                        .exits(1, 0)
                        .end());

        var file = call("-n2", "-o", "out-%j.txt", "cmd");
        srun(file);
        assertThat(file.written("out-7.txt")).isEqualTo("zero\none\n");
        assertThat(file.printed()).isEmpty();

        var one = call("-n2", "-o", "1", "cmd");
        srun(one);
        assertThat(one.printed()).isEqualTo("one\n");

        srun(call("-n2", "-o", "none", "-i", "none", "cmd"));
        assertThat(agent.launched.getLast().getStdOut()).isEqualTo("/dev/null");
        assertThat(agent.launched.getLast().getStdinTask()).isEqualTo(-2);

        srun(call("-n2", "-o", "log-%t", "cmd"));
        assertThat(agent.launched.getLast().getStdOut()).isEqualTo("/home/alice/log-%t");
    }

    @Test
    void filesOfEachTaskHaveLabelsToo() throws Exception {
        agent.running((_, step) ->
                step.started()
                        .prints(0, "zero\n")
                        .prints(1, "one\n")
                        .exits(0, 0)
                        .exits(1, 0)
                        .end());
        var in = call("-l", "-n2", "-o", "log-%t", "cmd");

        srun(in);

        assertThat(agent.launched.getLast().getStdOut()).isEmpty();
        assertThat(in.written("log-0")).isEqualTo("0: zero\n");
        assertThat(in.written("log-1")).isEqualTo("1: one\n");
    }

    @Test
    void insideJobItAsksOnlyForStep() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var in =
                call("-n", "2", "--overlap", "work")
                        .with("SLURM_JOB_ID", "12")
                        .with("SLURM_JOB_NAME", "batch.sh")
                        .with("SLURM_NTASKS", "8")
                        .with("SLURM_CPUS_PER_TASK", "3")
                        .with("SLURM_JOB_NUM_NODES", "1");

        assertThat(srun(in)).isZero();

        assertThat(controller.submitted).isEmpty();
        assertThat(controller.finished).isEmpty();
        var step = controller.steps.getFirst();
        assertThat(step.getJobId()).isEqualTo(12);
        assertThat(step.getName()).isEqualTo("work");
        assertThat(step.getTasks()).isEqualTo(2);
        assertThat(step.getCpusPerTask()).isEqualTo(3);
        assertThat(step.getExact()).isTrue();
        assertThat(step.getOverlap()).isTrue();
    }

    @Test
    void tasksFollowFromGpusOrFromTheJobsProcessors() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var whole = update("RUNNING");
        whole.getJobBuilder().setNumCpus(8);
        controller.updates(whole.build());

        assertThat(srun(call("--gpus=4", "--gpus-per-task=2", "work"))).isZero();
        assertThat(srun(call("--gpus=2", "--ntasks-per-gpu=2", "work"))).isZero();
        assertThat(srun(call("--exclusive", "-c2", "work"))).isZero();
        assertThat(srun(call("--exclusive", "work"))).isZero();

        assertThat(controller.steps)
                .extracting(CreateStepRequest::getTasks)
                .containsExactly(2, 4, 4, 1);
    }

    @Test
    void aStepHasAllNodesAndProcessorsOfTheJobThatWasMadeForIt() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var wide = update("RUNNING");
        wide.getJobBuilder().setNumNodes(3);
        controller.updates(wide.build());

        assertThat(srun(call("-N2-4", "--exclusive", "work"))).isZero();

        var step = controller.steps.getFirst();
        assertThat(step.getMinNodes()).isEqualTo(3);
        assertThat(step.getTasks()).isEqualTo(3);
        assertThat(step.getExact()).isFalse();
    }

    @Test
    void devicesOfANodeThatAreTypedWinOverThoseOfTheJobsEnvironment() throws Exception {
        controller.creatingSteps(_ -> onOneNode(1));
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var in =
                call("-n1", "--gres=gpu:1", "work")
                        .with("SLURM_JOB_ID", "7")
                        .with("SLURM_GPUS", "4")
                        .with("SLURM_GPUS_PER_NODE", "4");

        assertThat(srun(in)).isZero();

        var step = controller.steps.getFirst();
        assertThat(step.getGresPerNode()).isEqualTo("gpu:1");
        assertThat(step.getGresPerStep()).isEmpty();
    }

    @Test
    void busyStepIsTriedAgain() throws Exception {
        var tries = new AtomicInteger();
        controller.creatingSteps(_ ->
                tries.getAndIncrement() == 0
                        ? CreateStepReply.newBuilder().setBusy("no processors are free").build()
                        : onOneNode(1));
        agent.running((_, step) -> step.started().exits(0, 0).end());
        var in = call("-n1", "work").with("SLURM_JOB_ID", "7");

        assertThat(srun(in)).isZero();

        assertThat(in.complained())
                .isEqualTo(
                        """
                        srun: Job 7 step creation temporarily disabled, retrying (Requested nodes are busy)
                        srun: Step created for job 7
                        """);
    }

    @Test
    void killOnBadExitEndsTheOtherTasks() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 1));
        controller.onCancel(() -> agent.current().dies(1, 9).end());
        var in = call("-K", "-n2", "work");

        assertThat(srun(in)).isEqualTo(137);

        assertThat(controller.cancelled.getFirst().getIdsList()).containsExactly("7.0");
        assertThat(in.complained())
                .isEqualTo(
                        """
                        srun: error: node1: task 0: Exited with exit code 1
                        srun: launch/slurm: _step_signal: Terminating StepId=7.0
                        srun: error: node1: task 1: Killed
                        srun: Force Terminated StepId=7.0
                        """);
    }

    @Test
    void whoDoesNotWaitEndsTheOtherTasksAfterTheFirst() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0));
        controller.onCancel(() -> agent.current().dies(1, 9).end());
        var in = call("-W1", "-n2", "work");

        assertThat(srun(in)).isEqualTo(137);

        assertThat(controller.cancelled.getFirst().getIdsList()).containsExactly("7.0");
        assertThat(in.complained())
                .contains(
                        "srun: First task exited 1s ago\n",
                        "srun: launch/slurm: _step_signal: Terminating StepId=7.0\n",
                        "srun: error: node1: task 1: Killed\n");
    }

    @Test
    void tasksAreToldTheNameAndTheDistributionThatWereTyped() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0).end());

        assertThat(srun(call("-J", "banana", "-mcyclic", "work").with("SLURM_JOB_NAME", "zebra")))
                .isZero();

        assertThat(agent.launched.getFirst().getEnvironment().toStringUtf8().split("\0"))
                .contains("SLURM_JOB_NAME=banana", "SLURM_DISTRIBUTION=cyclic");
    }

    @Test
    void limitOfAStepGoesWithIt() throws Exception {
        agent.running((_, step) -> step.started().exits(0, 0).end());

        assertThat(srun(call("-t1", "work").with("SLURM_JOB_ID", "7"))).isZero();

        assertThat(controller.steps.getFirst().getTimeLimit().getMinutes()).isEqualTo(1);
    }

    @Test
    void aTaskThatSomebodyKilledIsToldOfAtTheEnd() throws Exception {
        var in = call("-i", "none", "sleep", "100");
        agent.running((_, step) -> step.started().dies(0, 9).end());

        assertThat(srun(in)).isEqualTo(137);

        assertThat(in.complained())
                .endsWith(
                        "srun: error: node1: task 0: Killed\nsrun: Force Terminated StepId=7.0\n");
    }

    @Test
    void secondInterruptEndsTheStep() throws Exception {
        var in = call("-i", "none", "sleep", "100");
        agent.running((_, step) -> {
            step.started();
            in.send(ProcessSignal.INT);
            in.send(ProcessSignal.INT);
        });
        controller.onCancel(() -> agent.current().dies(0, 2).end());

        assertThat(srun(in)).isEqualTo(130);

        assertThat(in.complained())
                .contains(
                        "srun: interrupt (one more within 1 sec to abort)\n",
                        "srun: sending Ctrl-C to StepId=7.0\n");
        assertThat(agent.heard).anyMatch(input -> input.getSignal().getSignal() == 2);
    }

    @Test
    void comesBackToAnAgentThatWentAway() throws Exception {
        agent.running((_, step) -> step.started().prints(0, "one\n").breaksOff())
                .answering((input, step) -> {
                    if (input.hasAttach()) {
                        step.started().prints(0, "two\n").exits(0, 0).end();
                    }
                });
        var in = call("-i", "none", "work");

        assertThat(srun(in)).isZero();

        assertThat(in.printed()).isEqualTo("one\ntwo\n");
        var attach =
                agent.heard.stream().filter(input -> input.hasAttach()).findFirst().orElseThrow();
        assertThat(attach.getAttach().getCookie()).isEqualTo(FakeAgent.COOKIE);
        assertThat(attach.getAttach().getOffsets(0).getOutOffset()).isEqualTo(4);
    }

    @Test
    void goesOnBehindAnotherDoorWithItsStepThoughTheControllerIsAwayToo() throws Exception {
        controller.awayFor(2);
        agent.answering((input, step) -> {
            if (input.hasAttach()) {
                step.started().prints(0, "rest\n").exits(0, 6).end();
            }
        });
        var in =
                call("-i", "none", "work")
                        .memory(
                                new OfAnEarlierDoor()
                                        .with(Remembered.node(0), FakeAgent.COOKIE.toByteArray()));

        assertThat(srun(in)).isEqualTo(6);

        assertThat(in.printed()).isEqualTo("rest\n");
        assertThat(in.complained())
                .startsWith("srun: no controller answers, waiting for one ...\n");
        assertThat(agent.launched).isEmpty();
    }

    /// In the door that would be a stack trace in its log for everybody who closes a terminal.
    @Test
    void endOfTheJobThatItsCallerDoesNotHearAnyMoreIsNoFault() throws Exception {
        controller.updates(running(), ended("CANCELLED"));
        var speaker = new CompletableFuture<Thread>();
        var in = call("-i", "none", "work").gone(() -> speaker.complete(Thread.currentThread()));
        agent.running((_, step) -> {
            step.started();
            speaker.thenAcceptAsync(thread -> {
                joined(thread);
                step.exits(0, 0).end();
            });
        });
        var faults = new CopyOnWriteArrayList<Throwable>();
        var before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, fault) -> faults.add(fault));
        try {
            assertThat(srun(in)).isZero();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }

        assertThat(speaker.join().getName()).isEqualTo("srun-abort");
        assertThat(faults).isEmpty();
    }

    private static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusalsAreToldInSlurmsWords() throws Exception {
        controller.refusing(ErrorCode.INVALID_PARTITION, "invalid partition specified: nopart");
        assertRefused(
                1,
                """
                srun: error: invalid partition specified: nopart
                srun: error: Unable to allocate resources: Invalid partition name specified
                """,
                call("-p", "nopart", "true"));

        controller.refusing(ErrorCode.INVALID_JOB, "no job 5");
        assertRefused(
                1,
                """
                srun: error: Unable to confirm allocation for job 5: Invalid job id specified
                srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 5
                """,
                call("-n1", "true").with("SLURM_JOB_ID", "5"));
    }

    @Test
    void wrongCallsAreAnsweredAsSlurmDoes() throws Exception {
        assertRefused(
                255,
                "srun: unrecognized option '--no-such-option'\nTry \"srun --help\" for more information\n",
                call("--no-such-option", "true"));
        assertRefused(
                255, "srun: error: Invalid --time specification\n", call("-t", "abc", "true"));
        assertRefused(1, "srun: fatal: No command given to execute.\n", call());
        assertRefused(
                1,
                "srun: error: option --mpi=pmix is not supported yet\n",
                call("--mpi=pmix", "true"));
    }

    @Test
    void failedLaunchNamesTheNode() throws Exception {
        var created = onOneNode(1).getCreated().toBuilder();
        created.getNodesBuilder(0).setAddress("127.0.0.1:1");
        controller.creatingSteps(_ -> CreateStepReply.newBuilder().setCreated(created).build());
        var in = call("true");

        assertThat(srun(in)).isEqualTo(1);

        assertThat(in.complained())
                .startsWith("srun: error: Task launch for StepId=7.0 failed on node node1: ");
    }

    private CreateStepReply onOneNode(int tasks) {
        var node = StepNode.newBuilder().setNode("node1").setAddress(controller.address());
        for (int rank = 0; rank < tasks; rank++) {
            node.addTaskIds(rank);
        }
        var launch = StepLaunch.newBuilder().setJobId(7).setKillWaitSeconds(5).build();
        return CreateStepReply.newBuilder()
                .setCreated(
                        CreatedStep.newBuilder()
                                .setJobId(7)
                                .setStepId(0)
                                .setTasks(tasks)
                                .addNodes(node)
                                .addLaunches(
                                        SignedLaunch.newBuilder().setLaunch(launch.toByteString())))
                .build();
    }

    private static JobUpdate running() {
        return update("RUNNING").build();
    }

    private static JobUpdate pending(String reason) {
        var update = update("PENDING");
        update.getJobBuilder().setReason(reason);
        return update.build();
    }

    private static JobUpdate ended(String state) {
        return update(state).setEnded(true).build();
    }

    private static JobUpdate.Builder update(String state) {
        return JobUpdate.newBuilder()
                .setJob(
                        Job.newBuilder()
                                .setJobId(7)
                                .setState(state)
                                .setBaseState(state)
                                .setNumNodes(1));
    }

    private void assertRefused(int exitCode, String complaint, RememberingInvocation in)
            throws Exception {
        assertThat(srun(in)).isEqualTo(exitCode);
        assertThat(in.complained()).isEqualTo(complaint);
    }

    private int srun(RememberingInvocation in) throws Exception {
        return FakeController.run(new Srun(controller.connector()), in);
    }

    private static RememberingInvocation call(String... words) {
        return RememberingInvocation.of("srun", words);
    }

    private static FakeController start(FakeAgent agent) {
        try {
            return new FakeController(agent);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
