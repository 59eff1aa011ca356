package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.ClaimCloudLinkReply;
import dev.spur.api.v1.ClaimCloudLinkRequest;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.IssueUserTokenReply;
import dev.spur.api.v1.IssueUserTokenRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.LinkCloudUserRequest;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListTokensRequest;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.RevokeCertificateRequest;
import dev.spur.api.v1.Session;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UnlinkCloudUserRequest;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.PeerHost;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// For whom the cloud may speak, for how long, and with what rights.
@Timeout(60)
class CloudUserTest {
    private static final String CONFIG =
            """
            cluster_name = "test"

            [auth]
            admins = ["carol"]
            operators = ["olga"]

            [cloud]
            uid_range = "200000-200999"
            home_dir = "/home/spur-cloud"

            [[nodes]]
            names = "node[1-4]"
            """;
    private static final String CODE = "ABCD-EFGH-1234";
    private static final PeerHost CLOUD =
            new PeerHost("cloud1", HostRole.CLOUD, BigInteger.valueOf(41));
    private static final PeerHost CLOUD_ADMIN =
            new PeerHost("cloud2", HostRole.CLOUD_ADMIN, BigInteger.valueOf(42));

    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory, () -> ConfigFile.parse(CONFIG));
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void tokenOfAUserOfTheCloudWorksForFiveMinutesAndIsNotRemembered() throws Exception {
        var before = Instant.now();

        var issued = issue(CLOUD, 200_000, "grace-hopper", false);

        assertThat(issued.getRole()).isEqualTo("user");
        assertThat(Duration.between(before, micros(issued.getExpiresMicros())))
                .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
        assertThat(with(issued).listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();
        var all = ListTokensRequest.newBuilder().setAllUsers(true).build();
        assertThat(controller.as("root", 0).listTokens(all).getTokensList()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "999"})
    void uidOfTheSystemIsRefused(int uid) {
        assertThatThrownBy(() -> issue(CLOUD_ADMIN, uid, "somebody", true))
                .hasMessageContaining("the cloud never acts for uids below 1000");
    }

    @ParameterizedTest
    @CsvSource({"199999", "201000", "1002", "-1"})
    void uidOutsideTheRangeIsRefusedUnlessItIsLinked(int uid) {
        assertThatThrownBy(() -> issue(CLOUD, uid, "somebody", false))
                .hasMessageContaining("cloud.uid_range is 200000-200999")
                .hasMessageContaining("spur cloud link CODE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Grace",
                "1st",
                "-x",
                "a:b",
                "a/b",
                "../etc",
                "a b",
                "gräce",
                "a23456789012345678901234567890123"
            })
    void nameThatIsNoneForUnixIsRefused(String name) {
        assertThatThrownBy(() -> issue(CLOUD, 200_000, name, false))
                .hasMessageContaining("at most 32 small letters");
    }

    @Test
    void nameOfSomebodyElseIsRefused() {
        assertThatThrownBy(() -> issue(CLOUD, 200_000, "carol", false))
                .hasMessageContaining("is an administrator or operator");
        assertThatThrownBy(() -> issue(CLOUD, 200_000, "olga", false))
                .hasMessageContaining("is an administrator or operator");
        assertThatThrownBy(() -> issue(CLOUD, 200_000, "daemon", false))
                .hasMessageContaining("knows another user daemon");
    }

    @ParameterizedTest
    @CsvSource({"CONTROLLER", "COMPUTE", "LOGIN", "ADMIN", "ACCOUNTING"})
    void onlyHostsOfTheCloudAreIssuedTokens(HostRole role) {
        var host = new PeerHost("host1", role, BigInteger.valueOf(43));

        assertThatThrownBy(() -> issue(host, 200_000, "grace", false))
                .hasMessageContaining("denied");
    }

    @Test
    void hostOfTheCloudSpeaksForNobodyWithoutAToken() {
        var claim = new CallerIdentity.Vouched(200_000, 200_000, "grace", List.of());

        assertThatThrownBy(() ->
                        controller
                                .from(CLOUD, claim)
                                .listJobs(ListJobsRequest.getDefaultInstance())
                                .hasNext())
                .hasMessageContaining("speaks for nobody");
    }

    @Test
    void tokenOfTheCloudMakesNoOther() throws Exception {
        var user = with(issue(CLOUD, 200_000, "grace", false));
        link("carol", 1004);
        var admin = with(issue(CLOUD_ADMIN, 1004, "carol", true));

        for (var caller : List.of(user, admin)) {
            assertThatThrownBy(() -> caller.createToken(CreateTokenRequest.getDefaultInstance()))
                    .hasMessageContaining("a token cannot make another");
        }
    }

    /// A process in a session reaches its node's door and spurrestd, which say which uid it has.
    @Test
    void userOfTheCloudWhoAsksFromANodeGetsNoLastingToken() throws Exception {
        var inSession = controller.as("200001", 200_001);

        assertThatThrownBy(() -> inSession.createToken(CreateTokenRequest.getDefaultInstance()))
                .hasMessageContaining("one of the cloud's users");
    }

    @Test
    void userWhoTypedTheCodeIsLinkedOnceAndTheAnswerIsRepeated() throws Exception {
        type(CODE, "alice", 1002);

        var first = claim(CLOUD, "r1", CODE);
        var again = claim(CLOUD, "r1", CODE);

        assertThat(first.getUid()).isEqualTo(1002);
        assertThat(first.getName()).isEqualTo("alice");
        assertThat(again).isEqualTo(first);
        assertThatThrownBy(() -> claim(CLOUD, "r2", CODE)).hasMessageContaining("used already");
        assertThatThrownBy(() -> claim(CLOUD_ADMIN, "r1", CODE))
                .hasMessageContaining("used already");
        assertThat(issue(CLOUD, 1002, "alice", true).getRole()).isEqualTo("user");
    }

    @Test
    void linkedUserHasOnlyTheLinkedName() throws Exception {
        link("alice", 1002);

        assertThatThrownBy(() -> issue(CLOUD, 1002, "carol", false))
                .hasMessageContaining("is linked to the cloud as alice");
    }

    @Test
    void codeThatNobodyTypedLinksNobody() {
        assertThatThrownBy(() -> claim(CLOUD, "r1", "ANOTHER-CODE"))
                .hasMessageContaining("nobody has typed this code");
        assertThatThrownBy(() -> claim(CLOUD, "r1", "short")).hasMessageContaining("no code");
        assertThatThrownBy(() -> claim(CLOUD, "", CODE)).hasMessageContaining("request id");
    }

    @Test
    void codeOfOneUserIsNotTakenOverByAnother() throws Exception {
        type(CODE, "alice", 1002);

        assertThatThrownBy(() -> type(CODE, "bob", 1003))
                .hasMessageContaining("this code was used already");
        assertThat(claim(CLOUD, "r1", CODE).getName()).isEqualTo("alice");
    }

    @Test
    void rootTheSystemAndUsersOfTheCloudAreNeverLinked() throws Exception {
        assertThatThrownBy(() -> type(CODE, "root", 0)).hasMessageContaining("never acts for root");
        assertThatThrownBy(() -> type(CODE, "daemon", 1)).hasMessageContaining("never acts for");
        assertThatThrownBy(() -> type(CODE, "nobody", 65_534))
                .hasMessageContaining("never acts for");
        assertThatThrownBy(() -> type(CODE, "grace", 200_001))
                .hasMessageContaining("one of the cloud's own users");
        assertThatThrownBy(() -> type(CODE, "a:b", 1005)).hasMessageContaining("cannot be linked");
    }

    @Test
    void tokenLinksNobody() throws Exception {
        var token =
                controller.as("alice", 1002).createToken(CreateTokenRequest.newBuilder().build());
        var byToken = controller.from(null, new CallerIdentity.Bearer(token.getToken()));
        var request = LinkCloudUserRequest.newBuilder().setCode(CODE).build();

        assertThatThrownBy(() -> byToken.linkCloudUser(request))
                .hasMessageContaining("a token cannot link an account");
    }

    @Test
    void administratorHasHisPowersOnlyAtAnAdministratorsCloudAfterSigningIn() throws Exception {
        link("carol", 1004);

        assertThat(issue(CLOUD, 1004, "carol", true).getRole()).isEqualTo("user");
        assertThat(issue(CLOUD_ADMIN, 1004, "carol", false).getRole()).isEqualTo("user");
        var ordinary = with(issue(CLOUD_ADMIN, 1004, "carol", false));
        assertThatThrownBy(() -> ordinary.reconfigure(ReconfigureRequest.getDefaultInstance()))
                .hasMessageContaining("Invalid user id");
        var powerful = issue(CLOUD_ADMIN, 1004, "carol", true);
        assertThat(powerful.getRole()).isEqualTo("admin");
        assertThat(with(powerful).reconfigure(ReconfigureRequest.getDefaultInstance())).isNotNull();
    }

    @Test
    void unlinkedUsersTokensEndAtTheNextCallAndNoneIsIssued() throws Exception {
        link("alice", 1002);
        var remote = with(issue(CLOUD, 1002, "alice", false));
        assertThat(remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();

        controller.as("alice", 1002).unlinkCloudUser(UnlinkCloudUserRequest.getDefaultInstance());

        assertThatThrownBy(() -> remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext())
                .hasMessageContaining("no user of the cluster has linked it");
        assertThatThrownBy(() -> issue(CLOUD, 1002, "alice", false))
                .hasMessageContaining("no user of the cluster has linked it");
    }

    @Test
    void onlyTheUserAndAdministratorsUnlink() throws Exception {
        link("alice", 1002);
        var request = UnlinkCloudUserRequest.newBuilder().setUid(1002).build();
        var bob = controller.as("bob", 1003);

        assertThatThrownBy(() -> bob.unlinkCloudUser(request)).hasMessageContaining("denied");
        assertThat(controller.as("root", 0).unlinkCloudUser(request)).isNotNull();
    }

    @Test
    void tokensEndWithTheCertificateOfTheHostThatWasGivenThem() throws Exception {
        var remote = with(issue(CLOUD, 200_000, "grace", false));
        assertThat(remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();
        join("cloud1", "cloud");

        controller
                .as("root", 0)
                .revokeCertificate(RevokeCertificateRequest.newBuilder().setHost("cloud1").build());

        assertThatThrownBy(() -> remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext())
                .hasMessageContaining("certificate of cloud1 was revoked");
    }

    @Test
    void jobOfAUserOfTheCloudHasASessionInTheHome() throws Exception {
        var grace = with(issue(CLOUD, 200_000, "grace", false));

        var job = submit(grace, JobSpec.newBuilder());

        assertThat(job.getSpec().getSession().getUnixName()).isEqualTo("grace");
        assertThat(job.getSpec().getWorkDir()).isEqualTo("/home/spur-cloud/grace");
    }

    @Test
    void hostOfASessionSpeaksForItsUserUnderTheNameThatTheCloudGave() throws Exception {
        submit(with(issue(CLOUD, 200_000, "grace", false)), JobSpec.newBuilder());
        var node = new PeerHost("node1", HostRole.COMPUTE, BigInteger.valueOf(43));
        var admin = new PeerHost("admin1", HostRole.ADMIN, BigInteger.valueOf(44));
        var nameless = new CallerIdentity.Vouched(200_000, 200_000, "200000", List.of());
        var carol = new CallerIdentity.Vouched(200_000, 0, "carol", List.of(0));
        var unknown = new CallerIdentity.Vouched(200_007, 0, "carol", List.of(0));

        var job = submit(controller.from(node, nameless), JobSpec.newBuilder());

        assertThat(job.getSpec().getUserName()).isEqualTo("grace");
        assertThat(job.getSpec().getWorkDir()).isEqualTo("/home/spur-cloud/grace");
        assertThat(submit(controller.from(admin, carol), JobSpec.newBuilder()).getSpec())
                .satisfies(spec -> assertThat(spec.getUserName()).isEqualTo("grace"))
                .satisfies(spec -> assertThat(spec.getGid()).isEqualTo(200_000));
        assertThatThrownBy(() ->
                        controller
                                .from(admin, carol)
                                .reconfigure(ReconfigureRequest.getDefaultInstance()))
                .hasMessageContaining("Invalid user id");
        assertThatThrownBy(() -> submit(controller.from(node, unknown), JobSpec.newBuilder()))
                .hasMessageContaining("at most 32 small letters");
    }

    @Test
    void jobOfAnotherHasASessionIfItAsksForOne() throws Exception {
        var alice = controller.as("alice", 1002);

        assertThat(submit(alice, JobSpec.newBuilder()).getSpec().hasSession()).isFalse();
        var asked = JobSpec.newBuilder().setSession(Session.getDefaultInstance());
        assertThat(submit(alice, asked).getSpec().hasSession()).isTrue();
    }

    @Test
    void sessionIsNeverSomebodyElsesNorTheSystems() throws Exception {
        var grace = with(issue(CLOUD, 200_000, "grace", false));
        var asBob = JobSpec.newBuilder().setSession(Session.newBuilder().setUnixName("bob"));
        var asked = JobSpec.newBuilder().setSession(Session.getDefaultInstance());
        var nameless =
                JobSpec.newBuilder().setUid(200_000).setGid(200_000).setUserName("../../etc");
        var root = controller.as("root", 0);

        assertThatThrownBy(() -> submit(grace, asBob)).hasMessageContaining("the job is grace's");
        assertThatThrownBy(() -> submit(root, asked))
                .hasMessageContaining("no session runs with a uid below 1000");
        assertThatThrownBy(() -> submit(root, nameless))
                .hasMessageContaining("at most 32 small letters");
    }

    private static Job submit(ControllerBlockingStub caller, JobSpec.Builder spec) {
        var request =
                SubmitJobRequest.newBuilder()
                        .setSpec(spec.setName("job"))
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh\ntrue\n"))
                        .build();
        var id = Integer.toUnsignedString(caller.submitJob(request).getJobId());
        var question =
                ListJobsRequest.newBuilder()
                        .addIds(id)
                        .addStates("ALL")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        var pages = caller.listJobs(question);
        while (pages.hasNext()) {
            var page = pages.next();
            if (page.getJobsCount() > 0) {
                return page.getJobs(0);
            }
        }
        throw new AssertionError("no job " + id);
    }

    private void join(String host, String role) throws IOException {
        var request = CreateJoinTokenRequest.newBuilder().setRole(role).setHost(host).build();
        var token = controller.as("root", 0).createJoinToken(request).getToken();
        var _ =
                controller
                        .fromOutside()
                        .join(
                                JoinRequest.newBuilder()
                                        .setSecret(JoinToken.parse(token).secret())
                                        .setHost(host)
                                        .setCsr(
                                                ByteString.copyFrom(
                                                        HostKeys.create().certificateRequest(host)))
                                        .build());
    }

    private void link(String user, int uid) throws IOException {
        type(CODE, user, uid);
        claim(CLOUD, "link " + user, CODE);
    }

    private void type(String code, String user, int uid) throws IOException {
        controller
                .as(user, uid)
                .linkCloudUser(LinkCloudUserRequest.newBuilder().setCode(code).build());
    }

    private ClaimCloudLinkReply claim(PeerHost host, String id, String code) throws IOException {
        return controller
                .from(host, new CallerIdentity.Host())
                .claimCloudLink(
                        ClaimCloudLinkRequest.newBuilder().setRequestId(id).setCode(code).build());
    }

    private IssueUserTokenReply issue(PeerHost host, int uid, String name, boolean recently)
            throws IOException {
        return controller
                .from(host, new CallerIdentity.Host())
                .issueUserToken(
                        IssueUserTokenRequest.newBuilder()
                                .setUid(uid)
                                .setName(name)
                                .setSignedInRecently(recently)
                                .build());
    }

    private ControllerBlockingStub with(IssueUserTokenReply token) throws IOException {
        return controller.from(null, new CallerIdentity.Bearer(token.getToken()));
    }

    private static Instant micros(long micros) {
        return Instant.EPOCH.plus(Duration.ofNanos(micros * 1000));
    }
}
