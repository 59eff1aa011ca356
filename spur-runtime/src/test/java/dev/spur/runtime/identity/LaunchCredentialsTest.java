package dev.spur.runtime.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchCredentialsTest {
    private static final byte[] LAUNCH = "job 1 as uid 1000 on n1".getBytes(UTF_8);

    @TempDir Path state;

    @Test
    void nodeBelievesALaunchThatTheControllerSignedForIt() {
        var signature = LaunchCredentials.openOrCreate(state).keyFor("n1").sign(LAUNCH);

        // After a restart of the controller, and with the key as the node got it.
        var key = NodeKey.of(LaunchCredentials.openOrCreate(state).keyFor("n1").reveal());
        assertThat(key.verifies(LAUNCH, signature)).isTrue();
    }

    @Test
    void launchForAnotherNodeOrWithAnotherWordIsNotBelieved() {
        var credentials = LaunchCredentials.openOrCreate(state);
        var signature = credentials.keyFor("n1").sign(LAUNCH);

        assertThat(credentials.keyFor("n2").verifies(LAUNCH, signature)).isFalse();
        assertThat(
                        credentials
                                .keyFor("n1")
                                .verifies("job 1 as uid 0 on n1".getBytes(UTF_8), signature))
                .isFalse();
        assertThat(credentials.keyFor("n1").verifies(LAUNCH, new byte[0])).isFalse();
    }

    /// A node gives proofs to whoever runs a step there: one that were a signature, too, would be a
    /// launch that nobody ordered.
    @Test
    void proofIsNoSignatureOfALaunchAndASignatureNoProof() {
        var key = LaunchCredentials.openOrCreate(state).keyFor("n1");

        assertThat(key.verifies(LAUNCH, key.prove(LAUNCH))).isFalse();
        assertThat(key.sign(LAUNCH)).isNotEqualTo(key.prove(LAUNCH));
    }
}
