package dev.spur.controller;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.GetConfigRequest;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListTokensRequest;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.RevokeTokenRequest;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.NodeKey;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JobLifeTest {
    @TempDir Path directory;

    private InProcessController controller;
    private ControllerBlockingStub alice;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        alice = controller.as("alice", 1002);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aSubmittedJobIsLaunchedOnAnAgentAndEndsWithItsScript() throws Exception {
        var agent = controller.agent("node1");
        agent.welcome.get(10, TimeUnit.SECONDS);

        var id = submit("r1", "#!/bin/sh\nhostname\n");
        var launch = agent.launched.take();
        agent.end(launch, 3);
        var last = awaitEnd(id);

        assertThat(launch.getScript().toStringUtf8()).isEqualTo("#!/bin/sh\nhostname\n");
        assertThat(launch.getUid()).isEqualTo(1002);
        assertThat(launch.getWorkDir()).isEqualTo("/home/alice");
        assertThat(launch.getSubmitDir()).isEqualTo("/submitted/here");
        assertThat(last.getLastSchedEvalMicros()).isEqualTo(last.getStartMicros());
        assertThat(last.getState()).isEqualTo("FAILED");
        assertThat(last.getExitCode()).isEqualTo(3);
        assertThat(last.getReason()).isEqualTo("NonZeroExitCode");
    }

    @Test
    void launchesAreSignedForTheirNode() throws Exception {
        var agent = controller.agent("node1");
        var key = NodeKey.of(agent.welcome.get(10, TimeUnit.SECONDS).getNodeKey().toByteArray());

        submit("r1", "#!/bin/sh\n");
        var launch = agent.launched.take();

        assertThat(key.verifies(launch.toByteArray(), key.sign(launch.toByteArray()))).isTrue();
        assertThat(launch.getNode()).isEqualTo("node1");
        assertThat(launch.getEpoch()).isPositive();
    }

    @Test
    void reportsAreAcknowledgedInOrder() throws Exception {
        var agent = controller.agent("node1");

        submit("r1", "#!/bin/sh\n");
        agent.end(agent.launched.take(), 0);

        assertThat(agent.acknowledged.take()).isEqualTo(1);
        assertThat(agent.acknowledged.take()).isEqualTo(2);
    }

    @Test
    void limitThatAStepAsksForReachesItsNode() throws Exception {
        var agent = controller.agent("node1");
        var id = submit("r1", "#!/bin/sh\n");
        agent.launched.take();

        var created =
                alice.createStep(
                                CreateStepRequest.newBuilder()
                                        .setJobId(id)
                                        .setOverlap(true)
                                        .setTimeLimit(TimeLimit.newBuilder().setMinutes(1))
                                        .build())
                        .getCreated();

        var launch = StepLaunch.parseFrom(created.getLaunches(0).getLaunch());
        assertThat(launch.getStepLimitMillis()).isBetween(1L, 60_000L);
        assertThat(launch.getRemainingMillis()).isEqualTo(-1);
    }

    @Test
    void aRepeatedSubmitGivesTheSameIdAndOneJob() {
        var first = submit("same", "#!/bin/sh\n");
        var second = submit("same", "#!/bin/sh\n");

        assertThat(second).isEqualTo(first);
        assertThat(jobs(alice)).hasSize(1);
    }

    @Test
    void aJobSubmittedBeforeItsNodeConnectsIsLaunchedThen() throws Exception {
        var id = submit("r1", "#!/bin/sh\n");

        var agent = controller.agent("node2");

        assertThat(agent.launched.take().getJobId()).isEqualTo(id);
    }

    @Test
    void anAgentThatComesBackIsToldWhatItMissed() throws Exception {
        var first = controller.agent("node1");
        var id = submit("r1", "#!/bin/sh\n");
        first.launched.take();
        assertThat(first.acknowledged.take()).isEqualTo(1);
        first.terminated.clear();

        alice.cancelJobs(CancelJobsRequest.newBuilder().addIds("" + id).build());

        assertThat(first.terminated.take().getJobId()).isEqualTo(id);
        assertThat(awaitEnd(id).getState()).isEqualTo("CANCELLED");
    }

    @Test
    void filterThatAsksForNothingSelectsNothing() {
        submit("r1", "#!/bin/sh\n");
        var nothing = JobFilter.getDefaultInstance();

        var unknown =
                alice.cancelJobs(
                        CancelJobsRequest.newBuilder().addIds("999").setFilter(nothing).build());
        alice.cancelJobs(CancelJobsRequest.newBuilder().setFilter(nothing).build());

        assertThat(unknown.getResults(0).getOutcome())
                .isEqualTo(JobActionOutcome.JOB_ACTION_NOT_FOUND);
        assertThat(jobs(alice)).singleElement().extracting(Job::getState).isEqualTo("PENDING");
    }

    /// As a client does that was not answered: some have ended by then.
    @Test
    void repeatedRequestToCancelByFilterMeansTheJobsThatAreLeft() {
        submit("r1", "#!/bin/sh\n");
        submit("r2", "#!/bin/sh\n");
        var all =
                CancelJobsRequest.newBuilder()
                        .setRequestId("c1")
                        .setFilter(JobFilter.newBuilder().addUsers("1002"))
                        .build();
        assertThat(alice.cancelJobs(all).getResultsList()).hasSize(2);
        var left = submit("r3", "#!/bin/sh\n");

        var again = alice.cancelJobs(all);

        assertThat(again.getResultsList())
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.getId()).isEqualTo("" + left);
                    assertThat(result.getOutcome()).isEqualTo(JobActionOutcome.JOB_ACTION_DONE);
                });
        assertThat(jobs(alice)).extracting(Job::getState).containsOnly("CANCELLED");
    }

    @Test
    void othersMayNotCancelWhatIsNotTheirs() throws Exception {
        var id = submit("r1", "#!/bin/sh\n");
        var bob = controller.as("bob", 1003);

        var reply = bob.cancelJobs(CancelJobsRequest.newBuilder().addIds("" + id).build());

        assertThat(reply.getResults(0).getOutcome()).isEqualTo(JobActionOutcome.JOB_ACTION_DENIED);
        assertThat(jobs(alice)).hasSize(1);
    }

    @Test
    void othersSeeThatAJobRunsButNotWhatItIs() throws Exception {
        submit("r1", "#!/bin/sh\n");
        var bob = controller.as("bob", 1003);

        var seen = jobs(bob).getFirst();

        assertThat(seen.getUserName()).isEqualTo("alice");
        assertThat(seen.getWorkDir()).isEmpty();
        assertThat(jobs(alice).getFirst().getWorkDir()).isEqualTo("/home/alice");
    }

    @Test
    void onlyTheOwnerReadsTheScript() throws Exception {
        var id = submit("r1", "#!/bin/sh\nsecret\n");
        var request = GetScriptRequest.newBuilder().setJobId(id).build();
        var bob = controller.as("bob", 1003);

        assertThat(alice.getScript(request).getScript().toStringUtf8()).contains("secret");
        assertThatThrownBy(() -> bob.getScript(request))
                .hasMessageContaining("Access/permission denied");
    }

    @Test
    void updatesUseScontrolsKeys() {
        var id = submit("r1", "#!/bin/sh\n");

        alice.updateJobs(
                UpdateJobsRequest.newBuilder()
                        .addIds("" + id)
                        .putChanges("timelimit", "20")
                        .putChanges("Name", "renamed")
                        .build());

        var job = jobs(alice).getFirst();
        assertThat(job.getName()).isEqualTo("renamed");
        assertThat(job.getTimeLimit().getMinutes()).isEqualTo(20);
    }

    @Test
    void listingsShowTheMemoryThatThePartitionGives() throws Exception {
        var config =
                InProcessController.CONFIG.replace(
                        "default = true", "default = true\ndef_mem_per_cpu = \"100M\"");
        try (var other =
                new InProcessController(
                        Files.createDirectory(directory.resolve("other")),
                        () -> ConfigFile.parse(config))) {
            var caller = other.as("alice", 1002);
            submit(caller, "r1", "#!/bin/sh\n");

            assertThat(jobs(caller).getFirst().getRequest().getMemPerCpuMb()).isEqualTo(100);
        }
    }

    @Test
    void whoIsNoAdministratorIsTheWrongUser() {
        assertThatThrownBy(() -> alice.reconfigure(ReconfigureRequest.getDefaultInstance()))
                .hasMessageContaining("Invalid user id");
        assertThatThrownBy(() ->
                        alice.updateNodes(
                                UpdateNodesRequest.newBuilder()
                                        .setNames("node1")
                                        .putChanges("state", "drain")
                                        .build()))
                .hasMessageContaining("Invalid user id");
    }

    @Test
    void nodesOfAWaitingJobAreThoseThatItNeedsAtLeast() {
        var id =
                alice.submitJob(
                                SubmitJobRequest.newBuilder()
                                        .setRequestId("r1")
                                        .setSpec(
                                                JobSpec.newBuilder()
                                                        .setWorkDir("/home/alice")
                                                        .setHold(true)
                                                        .addComponents(
                                                                ResourceRequest.newBuilder()
                                                                        .setTasks(5)
                                                                        .setTasksGiven(true)))
                                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n"))
                                        .build())
                        .getJobId();
        assertThat(jobs(alice).getFirst().getNumNodes()).isEqualTo(2);

        alice.updateJobs(
                UpdateJobsRequest.newBuilder()
                        .addIds("" + id)
                        .putChanges("NumNodes", "2-4")
                        .build());

        var changed = onlyJob(id);
        assertThat(changed.getNumNodes()).isEqualTo(2);
        assertThat(changed.getMaxNodes()).isEqualTo(4);
    }

    @Test
    void anUnknownKeyIsRefusedInSlurmsWords() {
        var id = submit("r1", "#!/bin/sh\n");
        var request =
                UpdateJobsRequest.newBuilder().addIds("" + id).putChanges("bogus", "1").build();

        assertThatThrownBy(() -> alice.updateJobs(request))
                .hasMessageContaining("Update of this parameter is not supported: bogus=1");
    }

    @Test
    void anUnknownJobIsAnErrorWithSlurmsNumber() {
        var request = ListJobsRequest.newBuilder().addIds("999999").build();

        assertThatThrownBy(() -> alice.listJobs(request).next())
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> {
                            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
                            assertThat(requireNonNull(e.getTrailers()).get(CallerHeaders.ERRNO))
                                    .isEqualTo("2017");
                        });
    }

    @Test
    void aScriptThatIsTooLargeIsRefusedWithAClearText() {
        var large = "#!/bin/sh\n" + "x".repeat(4 << 20);

        assertThatThrownBy(() -> submit("r1", large))
                .hasMessageContaining("more than the 4194304 that it may have");
    }

    @Test
    void nodesThatNeverRegisteredAreShownAsSlurmShowsThem() throws Exception {
        controller.agent("node1").welcome.get(10, TimeUnit.SECONDS);

        var nodes = alice.listNodes(ListNodesRequest.getDefaultInstance()).getNodesList();

        assertThat(nodes).extracting("name").containsExactly("node1", "node2", "node3", "node4");
        assertThat(nodes.getFirst().getState()).isEqualTo("IDLE");
        assertThat(nodes.getLast().getState()).isEqualTo("UNKNOWN");
    }

    @Test
    void whatScriptsAskOfTheConfigurationFirstIsThereAndTrue() {
        submit("r1", "#!/bin/sh\n");

        var config = alice.getConfig(GetConfigRequest.getDefaultInstance()).getValuesMap();

        assertThat(config)
                .containsEntry("AccountingStorageType", "accounting_storage/none")
                .containsEntry("DisableRootJobs", "No")
                .containsEntry("LaunchType", "launch/slurm")
                .containsEntry("MaxTasksPerNode", "16384")
                .containsEntry("NEXT_JOB_ID", "2")
                .containsEntry("NodeFeaturesPlugins", "")
                .containsEntry("SchedulerParameters", "")
                .containsEntry("SLURM_CONF", "/etc/spur/spur.conf")
                .containsEntry("SlurmUser", "root(0)")
                .containsEntry("UnkillableStepTimeout", "300 sec");
    }

    @Test
    void aTokenServesUntilItIsRevoked() throws Exception {
        var created = alice.createToken(CreateTokenRequest.getDefaultInstance());
        var remote =
                controller.from(
                        HostRole.LOGIN, "laptop", new CallerIdentity.Bearer(created.getToken()));
        assertThat(remote.listTokens(ListTokensRequest.getDefaultInstance()).getTokensList())
                .hasSize(1);

        alice.revokeToken(RevokeTokenRequest.newBuilder().setId(created.getId()).build());

        assertThatThrownBy(() -> remote.ping(PingRequest.getDefaultInstance()))
                .hasMessageContaining("the token was revoked");
    }

    @Test
    void rootOfALoginHostIsNotRootOfTheCluster() throws Exception {
        var root =
                controller.from(
                        HostRole.LOGIN,
                        "login1",
                        new CallerIdentity.Vouched(0, 0, "root", List.of(0)));

        assertThatThrownBy(() -> root.reconfigure(ReconfigureRequest.getDefaultInstance()))
                .hasMessageContaining("this host (login1, role login) may not speak for root");
    }

    @Test
    void anAgentMayOnlyRegisterItsOwnNode() throws Exception {
        var impostor = controller.agentThatCallsItself("node1", "node2");

        assertThat(impostor.welcome)
                .failsWithin(java.time.Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("the certificate is for host node1");
    }

    private int submit(String requestId, String script) {
        return submit(alice, requestId, script);
    }

    private static int submit(ControllerBlockingStub caller, String requestId, String script) {
        return caller.submitJob(
                        SubmitJobRequest.newBuilder()
                                .setRequestId(requestId)
                                .setSpec(
                                        JobSpec.newBuilder()
                                                .setName("test")
                                                .setWorkDir("/home/alice")
                                                .setSubmitDir("/submitted/here")
                                                .addComponents(
                                                        ResourceRequest.newBuilder()
                                                                .setMinNodes(1)))
                                .setScript(ByteString.copyFromUtf8(script))
                                .build())
                .getJobId();
    }

    private Job onlyJob(int id) {
        return alice.listJobs(
                        ListJobsRequest.newBuilder()
                                .addIds("" + id)
                                .setDetail(JobDetail.JOB_DETAIL_FULL)
                                .build())
                .next()
                .getJobs(0);
    }

    private Job awaitEnd(int id) {
        var updates = alice.watchJob(WatchJobRequest.newBuilder().setJobId(id).build());
        var last = updates.next();
        while (updates.hasNext()) {
            last = updates.next();
        }
        assertThat(last.getEnded()).isTrue();
        return last.getJob();
    }

    private static List<Job> jobs(ControllerBlockingStub caller) {
        var jobs = new ArrayList<Job>();
        caller.listJobs(
                        ListJobsRequest.newBuilder()
                                .addStates("ALL")
                                .setDetail(JobDetail.JOB_DETAIL_LISTING)
                                .build())
                .forEachRemaining(reply -> jobs.addAll(reply.getJobsList()));
        return jobs;
    }
}
