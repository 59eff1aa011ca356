package dev.spur.cli.srun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepNode;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.FakeController;
import dev.spur.model.ErrorCode;
import java.io.IOException;
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
        assertThat(spec.getKind()).isEqualTo(JobKind.JOB_KIND_ALLOCATION);
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
                        srun: Step created for StepId=7.0
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
                .contains("srun: Terminating StepId=7.0\n", "srun: error: node1: task 1: Killed\n");
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
    void refusalsAreToldInSlurmsWords() throws Exception {
        controller.refusing(ErrorCode.INVALID_PARTITION, "no such partition");
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
