package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.reach.OutputClient;
import dev.spur.api.reach.OutputRange;
import dev.spur.api.reach.StepView;
import dev.spur.api.reach.TerminalStep;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.IssueUserTokenRequest;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.Session;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// From a host of the cloud to a session on a node: a token for its user, a job, a terminal in it,
/// what it prints.
class CloudSessionTest {
    private static final int GRACE = 200_000;
    private static final int EVE = 200_001;

    private static RealCluster cluster;
    private static Channels channels;

    @BeforeAll
    static void begin() throws Exception {
        assumeTrue(Users.currentUid() == 0, "not run as root: a cluster then serves one user only");
        cluster = SharedCluster.get();
        var layout = cluster.local().layout();
        var directory = Files.createTempDirectory("spur-cloud-host");
        ClusterCa.openOrCreate(layout.controllerState(1), "local", InstantSource.system())
                .createIdentity(directory.resolve("identity"), "cloud-test", HostRole.CLOUD);
        var identity = HostIdentity.load(directory.resolve("identity"));
        channels =
                new Channels(
                        new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    @AfterAll
    static void end() {
        if (channels != null) {
            channels.close();
        }
    }

    @Test
    void userOfTheCloudHasATerminalInAJobAndReadsWhatItPrints() throws Exception {
        var grace = as(GRACE, "grace");
        var job =
                submit(
                        grace,
                        """
                        id -un; pwd; echo hidden > /tmp/hidden; ls /proc | grep -c '^[0-9]'
                        until test -e go; do sleep 0.1; done
                        cat answer
                        """);

        var shell =
                new TerminalStep(grace)
                        .start(
                                new TerminalStep.Shell(
                                        UUID.randomUUID().toString(),
                                        job,
                                        "",
                                        List.of(
                                                "/bin/sh",
                                                "-c",
                                                "cat /tmp/hidden; echo $HOME; echo typed > answer; touch go; echo over; until test -e seen; do sleep 0.1; done"),
                                        new byte[0],
                                        "",
                                        "xterm",
                                        24,
                                        80));
        var seen = new ByteArrayOutputStream();
        try (var view =
                StepView.of(grace, shell, (_, _, _, bytes) -> seen.writeBytes(bytes)).begin()) {
            Eventually.until(
                    () -> seen.toString(StandardCharsets.UTF_8).contains("over"),
                    () -> seen.toString(StandardCharsets.UTF_8));
            Files.createFile(home("grace").resolve("seen"));
            view.await();
        }
        var printed = new ByteArrayOutputStream();
        new OutputClient(grace)
                .read(
                        new OutputClient.Output(Integer.toString(job), false),
                        OutputRange.ALL.following(),
                        (byte[] bytes, OutputPosition _) -> printed.writeBytes(bytes));

        var home = home("grace");
        assertThat(seen.toString(StandardCharsets.UTF_8).lines().toList())
                .startsWith("hidden", home.toString(), "over");
        var lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.subList(0, 2)).containsExactly("grace", home.toString());
        assertThat(Integer.parseInt(lines.get(2))).isLessThan(10);
        assertThat(lines.getLast()).isEqualTo("typed");
        assertThat(Files.getAttribute(home, "unix:uid")).isEqualTo(GRACE);
        assertThat(Path.of("/tmp/hidden")).doesNotExist();
    }

    @Test
    void userOfTheCloudDoesNotReachAnothersJob() throws Exception {
        var grace = as(GRACE, "grace");
        var eve = as(EVE, "eve");
        var job = submit(grace, "sleep 600");
        var id = Integer.toString(job);
        var sink = new ByteArrayOutputStream();

        assertThatThrownBy(() ->
                        new OutputClient(eve)
                                .read(
                                        new OutputClient.Output(id, false),
                                        OutputRange.ALL,
                                        (byte[] bytes, OutputPosition _) -> sink.writeBytes(bytes)))
                .hasMessageContaining("denied");
        assertThatThrownBy(() ->
                        new TerminalStep(eve)
                                .start(
                                        new TerminalStep.Shell(
                                                UUID.randomUUID().toString(),
                                                job,
                                                "",
                                                List.of("/bin/true"),
                                                new byte[0],
                                                "",
                                                "xterm",
                                                24,
                                                80)))
                .hasMessageContaining("denied");
        var other =
                submit(
                        eve,
                        "cat %s/slurm-* 2>&1; pgrep sleep || echo alone; echo eve > /tmp/hers; ls %s 2>&1"
                                .formatted(home("grace"), home("grace").getParent()));
        var printed = new ByteArrayOutputStream();
        new OutputClient(eve)
                .read(
                        new OutputClient.Output(Integer.toString(other), false),
                        OutputRange.ALL.following(),
                        (byte[] bytes, OutputPosition _) -> printed.writeBytes(bytes));
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("alone")
                .containsPattern("cat: .*(No such file|Permission denied)")
                .containsPattern("ls: .*Permission denied");
        assertThat(sink.size()).isZero();
        var cancel = CancelJobsRequest.newBuilder().addIds(id).build();
        grace.call(stub -> stub.cancelJobs(cancel));
    }

    private static ControllerClient as(int uid, String name) {
        var request = IssueUserTokenRequest.newBuilder().setUid(uid).setName(name).build();
        var token =
                new ControllerClient(channels, controllers(), new CallerIdentity.Host())
                        .call(stub -> stub.issueUserToken(request))
                        .getToken();
        return new ControllerClient(channels, controllers(), new CallerIdentity.Bearer(token));
    }

    private static List<HostAndPort> controllers() {
        return HostAndPort.parseList(
                cluster.local().layout().controllerAddress(1), HostAndPort.CONTROLLER_PORT);
    }

    private static Path home(String user) throws Exception {
        var config = ConfigFile.load(cluster.local().layout().config()).config();
        return Path.of(config.cloud().homeDir()).resolve(user);
    }

    /// The job's number, once it runs or has run.
    private static int submit(ControllerClient user, String script) {
        var request =
                SubmitJobRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\n" + script + "\n"))
                        .setSpec(
                                JobSpec.newBuilder()
                                        .setName("session")
                                        .setKind(JobKind.JOB_KIND_BATCH)
                                        .setUmask(022)
                                        .setSession(Session.getDefaultInstance())
                                        .addComponents(
                                                ResourceRequest.newBuilder()
                                                        .setMinNodes(1)
                                                        .setMaxNodes(1)
                                                        .setTasks(1)
                                                        .setCpusPerTask(1)))
                        .build();
        var job = user.call(stub -> stub.submitJob(request)).getJobId();
        var id = Integer.toUnsignedString(job);
        Eventually.until(
                () -> !cluster.run("squeue", "-h", "-j", id, "-o", "%T").out().contains("PENDING"),
                () -> cluster.run("squeue", "-h", "-j", id).out());
        return job;
    }
}
