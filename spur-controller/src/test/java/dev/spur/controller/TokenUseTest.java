package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.ControllerGrpc.ControllerBlockingStub;
import dev.spur.api.v1.CreateTokenReply;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.RevokeTokenRequest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// People without a host of the cluster: a token is all they have.
@Timeout(60)
class TokenUseTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void aTokenIsEnoughToAskTheQueue() throws Exception {
        var token = tokenOf("alice", 1002);

        assertThat(with(token).listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();
    }

    @Test
    void oneUserHasOnlySoManyTokens() throws Exception {
        var alice = controller.as("alice", 1002);
        for (var i = 0; i < 1_000; i++) {
            alice.createToken(CreateTokenRequest.newBuilder().setRequestId("r" + i).build());
        }

        assertThatThrownBy(() -> alice.createToken(CreateTokenRequest.getDefaultInstance()))
                .hasMessageContaining("1000 tokens already");
        assertThat(tokenOf("bob", 1003).getToken()).isNotEmpty();
        var again = CreateTokenRequest.newBuilder().setRequestId("r7").build();
        assertThat(alice.createToken(again).getToken()).isNotEmpty();
    }

    @Test
    void aRepeatedRequestGivesTheSameTokenAndItWorks() throws Exception {
        var alice = controller.as("alice", 1002);
        var bob = controller.as("bob", 1003);
        var request = CreateTokenRequest.newBuilder().setRequestId("r1").build();

        var first = alice.createToken(request);
        var second = alice.createToken(request);
        var bobs = bob.createToken(request);

        assertThat(second).isEqualTo(first);
        assertThat(bobs.getId()).isNotEqualTo(first.getId());
        assertThat(with(second).listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();
    }

    @Test
    void aRevokedTokenIsRefusedAtTheNextCall() throws Exception {
        var token = tokenOf("alice", 1002);
        var remote = with(token);
        assertThat(remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext()).isTrue();

        controller
                .as("alice", 1002)
                .revokeToken(RevokeTokenRequest.newBuilder().setId(token.getId()).build());

        assertThatThrownBy(() -> remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext())
                .hasMessageContaining("revoked");
    }

    @Test
    void onlyTheOwnerAndAdministratorsRevokeAToken() throws Exception {
        var token = tokenOf("alice", 1002);
        var request = RevokeTokenRequest.newBuilder().setId(token.getId()).build();
        var bob = controller.as("bob", 1003);
        var root = controller.as("root", 0);

        assertThatThrownBy(() -> bob.revokeToken(request))
                .hasMessageContaining("you have no token");
        root.revokeToken(request);

        var remote = with(token);
        assertThatThrownBy(() -> remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext())
                .hasMessageContaining("revoked");
    }

    @Test
    void aTokenGivesNoMoreRightsThanItsUserHas() throws Exception {
        var remote = with(tokenOf("alice", 1002));

        assertThatThrownBy(() -> remote.reconfigure(ReconfigureRequest.getDefaultInstance()))
                .hasMessageContaining("Invalid user id");
    }

    @Test
    void anInventedTokenIsRefused() throws Exception {
        var remote = controller.from(null, new CallerIdentity.Bearer("eyJhbGciOiJub25lIn0.e30."));

        assertThatThrownBy(() -> remote.listJobs(ListJobsRequest.getDefaultInstance()).hasNext())
                .hasMessageContaining("token");
    }

    private CreateTokenReply tokenOf(String user, int uid) throws IOException {
        return controller.as(user, uid).createToken(CreateTokenRequest.getDefaultInstance());
    }

    private ControllerBlockingStub with(CreateTokenReply token) throws IOException {
        return controller.from(null, new CallerIdentity.Bearer(token.getToken()));
    }
}
