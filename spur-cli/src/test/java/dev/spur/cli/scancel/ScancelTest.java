package dev.spur.cli.scancel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.SignalTarget;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.FakeController;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScancelTest {
    private final FakeController controller = start();

    @AfterEach
    void stop() {
        controller.close();
    }

    @Test
    void jobsTasksRangesAndStepsAreNamedInOneRequest() throws Exception {
        assertThat(scancel("12", "13_4", "13_[1-3,7]", "14,15", "16.0")).isZero();

        assertThat(controller.cancelled).hasSize(1);
        assertThat(controller.cancelled.getFirst().getIdsList())
                .containsExactly("12", "13_4", "13_[1-3,7]", "14", "15", "16.0");
    }

    @Test
    void filtersMayReplaceIds() throws Exception {
        assertThat(
                        scancel(
                                "--me", "-n", "train", "-p", "gpu", "-t", "pd", "-A", "physics",
                                "-q", "short", "-w", "n[1-2]"))
                .isZero();

        var filter = controller.cancelled.getFirst().getFilter();
        assertThat(filter.getUsersList()).containsExactly("1000");
        assertThat(filter.getNamesList()).containsExactly("train");
        assertThat(filter.getPartitionsList()).containsExactly("gpu");
        assertThat(filter.getStatesList()).containsExactly("PENDING");
        assertThat(filter.getAccountsList()).containsExactly("physics");
        assertThat(filter.getQosList()).containsExactly("short");
        assertThat(filter.getNodesList()).containsExactly("n1", "n2");
    }

    @Test
    void signalsGoToStepsUnlessToldOtherwise() throws Exception {
        scancel("5", "--signal", "SIGTERM");
        scancel("-b", "-s", "USR1", "5");
        scancel("-f", "-s", "12", "5");

        assertThat(controller.signalled)
                .extracting(request -> request.getSignal() + " " + request.getTarget())
                .containsExactly(
                        "15 " + SignalTarget.SIGNAL_TARGET_STEPS,
                        "10 " + SignalTarget.SIGNAL_TARGET_BATCH,
                        "12 " + SignalTarget.SIGNAL_TARGET_FULL);
        assertThat(controller.cancelled).isEmpty();
    }

    @Test
    void jobThatIsGoneIsNoErrorOfThePlainForm() throws Exception {
        controller.answering(reply("999999", JobActionOutcome.JOB_ACTION_NOT_FOUND));

        assertRefused(0, "", "999999");
        assertRefused(
                1,
                "scancel: error: Kill job error on job id 999999: Invalid job id specified\n",
                "-s",
                "USR1",
                "999999");
        assertRefused(0, "", "-Q", "-s", "USR1", "999999");
    }

    @Test
    void whoAsksForWordsHearsWhatBecameOfEveryJob() throws Exception {
        controller.answering(reply("7", JobActionOutcome.JOB_ACTION_ALREADY_ENDED));
        assertRefused(
                0,
                """
                scancel: Terminating job 7
                scancel: error: Kill job error on job id 7: Job/step already completing or completed
                """,
                "-v",
                "7");

        controller.answering(reply("8", JobActionOutcome.JOB_ACTION_DONE));
        assertRefused(0, "scancel: Terminating job 8\n", "-v", "-n", "train");
        assertRefused(0, "scancel: Signal 19 to batch job 8\n", "-v", "-b", "-s", "STOP", "8");

        controller.answering(JobActionReply.getDefaultInstance());
        assertRefused(
                0,
                "scancel: error: No active jobs match ALL job filters, including: job_name=train state=PENDING \n",
                "-v",
                "-t",
                "pd",
                "-n",
                "train");
        assertRefused(0, "", "-n", "train");
    }

    @Test
    void signalForAJobThatHasEndedIsAnErrorAndIdsAreAskedForWithoutAFilter() throws Exception {
        controller.answering(reply("12", JobActionOutcome.JOB_ACTION_ALREADY_ENDED));

        assertRefused(
                1,
                "scancel: error: Kill job error on job id 12: Invalid job id specified\n",
                "-s",
                "10",
                "12");
        assertRefused(0, "", "12");
        assertThat(controller.signalled.getLast().hasFilter()).isFalse();
        assertThat(controller.cancelled.getLast().hasFilter()).isFalse();
    }

    @Test
    void jobThatEndsWhileAFilterFindsItIsNoError() throws Exception {
        controller.answering(reply("13_1", JobActionOutcome.JOB_ACTION_ALREADY_ENDED));

        assertRefused(0, "", "--me");
    }

    @Test
    void othersJobIsDeniedWithSlurmsNumber() throws Exception {
        controller.answering(reply("49", JobActionOutcome.JOB_ACTION_DENIED));

        assertRefused(
                210,
                "scancel: error: Kill job error on job id 49: Access/permission denied\n",
                "49");
    }

    @Test
    void interactiveAsksForEachJob() throws Exception {
        controller.jobs(job(5, "a"), job(6, "b"));
        var in = RememberingInvocation.of("scancel", "-i", "--me").input("n\ny\n");

        assertThat(FakeController.run(new Scancel(controller.connector()), in)).isZero();

        assertThat(in.printed())
                .isEqualTo(
                        "Cancel job_id=5 name=a partition=debug [y/n]? Cancel job_id=6 name=b partition=debug [y/n]? ");
        assertThat(controller.cancelled.getFirst().getIdsList()).containsExactly("6");
    }

    @Test
    void wrongCallsAreAnsweredAsSlurmDoes() throws Exception {
        assertRefused(1, "scancel: error: No job identification provided\n");
        assertRefused(1, "scancel: error: Invalid job id abc\n", "abc");
        assertRefused(1, "scancel: error: Invalid job id 5_[1-2\n", "5_[1-2");
        assertRefused(1, "scancel: error: Invalid job id 0\n", "0");
        assertRefused(1, "Unknown job signal: FOO\n", "-s", "FOO", "5");
        assertRefused(1, "scancel: error: Invalid user name: nosuch\n", "-u", "nosuch");
        assertRefused(
                1,
                "Invalid job state specified: foo\nValid job states are PENDING, RUNNING, and SUSPENDED\n",
                "-t",
                "foo");
    }

    private static Job job(int id, String name) {
        return Job.newBuilder().setJobId(id).setName(name).setPartition("debug").build();
    }

    private static JobActionReply reply(String id, JobActionOutcome outcome) {
        return JobActionReply.newBuilder()
                .addResults(JobActionResult.newBuilder().setId(id).setOutcome(outcome))
                .build();
    }

    private void assertRefused(int exitCode, String complaint, String... words) throws Exception {
        var in = RememberingInvocation.of("scancel", words);
        assertThat(FakeController.run(new Scancel(controller.connector()), in)).isEqualTo(exitCode);
        assertThat(in.complained()).isEqualTo(complaint);
    }

    private int scancel(String... words) throws Exception {
        return FakeController.run(
                new Scancel(controller.connector()), RememberingInvocation.of("scancel", words));
    }

    private static FakeController start() {
        try {
            return new FakeController();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
