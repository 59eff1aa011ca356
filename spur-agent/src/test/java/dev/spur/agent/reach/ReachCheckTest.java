package dev.spur.agent.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.Reach;
import dev.spur.api.v1.SignedReach;
import dev.spur.runtime.identity.NodeKey;
import io.grpc.Status;
import io.grpc.StatusException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Who shows an agent a word of the controller that is not for him, or not his any more.
class ReachCheckTest {
    private static final NodeKey KEY = key(1);
    private static final String HOST = "login1";

    private Instant now = Instant.parse("2027-03-01T12:00:00Z");
    private final InstantSource clock = () -> now;
    private ReachCheck check = new ReachCheck("node1", clock);

    @BeforeEach
    void theAgentHasRunForAWhile() {
        now = now.plusSeconds(10);
    }

    @Test
    void theControllersWordIsBelieved() throws Exception {
        assertThat(check.verify(signed(KEY), HOST, KEY).getJobId()).isEqualTo(12);
    }

    @Test
    void forgedOneIsRefused() {
        refuses(signed(key(2)), HOST, "not signed by this cluster's controller");
    }

    @Test
    void changedOneIsRefused() {
        var honest = signed(KEY);
        var changed =
                honest.toBuilder()
                        .setReach(reach().setFile("/home/other/secret").build().toByteString())
                        .build();

        refuses(changed, HOST, "not signed by this cluster's controller");
    }

    /// What is signed as a launch must not open a file, nor the other way round.
    @Test
    void signatureOfALaunchIsNone() {
        var bytes = reach().build().toByteArray();
        var signed =
                SignedReach.newBuilder()
                        .setReach(ByteString.copyFrom(bytes))
                        .setSignature(ByteString.copyFrom(KEY.sign(bytes)))
                        .build();

        refuses(signed, HOST, "not signed by this cluster's controller");
        assertThat(KEY.verifies(bytes, KEY.signReach(bytes))).isFalse();
    }

    @Test
    void replayedOneIsRefused() throws Exception {
        var word = signed(KEY);
        check.verify(word, HOST, KEY);

        refuses(word, HOST, "used already");
    }

    @Test
    void thatOfAnotherNodeIsRefused() {
        refuses(signed(KEY, reach -> reach.setNode("node2")), HOST, "it is for node node2");
    }

    @Test
    void stolenOneIsRefused() {
        refuses(signed(KEY), "login2", "given to another host");
    }

    @Test
    void oldOneIsRefused() {
        var word = signed(KEY);
        now = now.plus(Duration.ofMinutes(6));

        refuses(word, HOST, "expired");
    }

    /// It may have been used before: the agent cannot know any more.
    @Test
    void oneFromBeforeTheAgentsStartMustBeRenewed() {
        var word = signed(KEY);
        now = now.plusSeconds(1);
        check = new ReachCheck("node1", clock);

        assertThatThrownBy(() -> check.verify(word, HOST, KEY))
                .isInstanceOfSatisfying(
                        StatusException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .isEqualTo(Status.Code.UNAVAILABLE));
    }

    /// What was used has to be remembered for minutes, and there is an end to that.
    @Test
    void whoComesAgainAndAgainKeepsNobodyElseOut() throws Exception {
        for (var i = 0; i < 20_000; i++) {
            check.verify(of("mallory", "nonce " + i), HOST, KEY);
        }

        assertThatThrownBy(() -> check.verify(of("mallory", "another"), HOST, KEY))
                .hasMessageContaining("too many have come to this node");
        assertThat(check.verify(of("alice", "hers"), HOST, KEY).getJobId()).isEqualTo(12);
        now = now.plus(Duration.ofMinutes(6));
        assertThat(check.verify(of("mallory", "later"), HOST, KEY).getJobId()).isEqualTo(12);
    }

    private SignedReach of(String caller, String nonce) {
        return signed(
                KEY, reach -> reach.setCaller(caller).setNonce(ByteString.copyFromUtf8(nonce)));
    }

    private void refuses(SignedReach word, String from, String because) {
        assertThatThrownBy(() -> check.verify(word, from, KEY))
                .isInstanceOfSatisfying(
                        StatusException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .isEqualTo(Status.Code.PERMISSION_DENIED))
                .hasMessageContaining(because);
    }

    private Reach.Builder reach() {
        var micros = now.toEpochMilli() * 1_000;
        return Reach.newBuilder()
                .setNode("node1")
                .setBearer(HOST)
                .setNonce(ByteString.copyFromUtf8("a nonce"))
                .setIssuedMicros(micros)
                .setExpiresMicros(micros + Duration.ofMinutes(5).toMillis() * 1_000)
                .setJobId(12)
                .setFile("/home/owner/out");
    }

    private SignedReach signed(NodeKey key) {
        return signed(key, reach -> reach);
    }

    private SignedReach signed(NodeKey key, UnaryOperator<Reach.Builder> change) {
        var bytes = change.apply(reach()).build().toByteArray();
        return SignedReach.newBuilder()
                .setReach(ByteString.copyFrom(bytes))
                .setSignature(ByteString.copyFrom(key.signReach(bytes)))
                .build();
    }

    private static NodeKey key(int filling) {
        var bytes = new byte[32];
        Arrays.fill(bytes, (byte) filling);
        return NodeKey.of(bytes);
    }
}
