package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.controller.member.KnownMembers;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.JoinToken;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A new machine takes the place and the name of a controller that was lost.
@Timeout(60)
class ReplacedControllerTest {
    @TempDir Path directory;

    private InProcessController controller;

    @BeforeEach
    void start() throws Exception {
        var members =
                new KnownMembers(
                        new RaftConfig.Peer("ctl1", "ctl1:6821", "ctl1:6817"),
                        new RaftConfig.Peer("ctl2", "ctl2:6821", "ctl2:6817"));
        controller =
                new InProcessController(
                        directory, () -> ConfigFile.parse(InProcessController.CONFIG), members);
    }

    @AfterEach
    void stop() throws Exception {
        controller.close();
    }

    @Test
    void theOldOneMustBeRemovedBeforeATokenIsMadeForTheNew() {
        assertThatThrownBy(() -> token("ctl2"))
                .hasMessageContaining("ctl2 is a controller already")
                .hasMessageContaining("spur cluster remove ctl2");
    }

    @Test
    void aTokenForAnybodyIsNotUsedUpByTheNameOfAControllerThatIsThere() throws Exception {
        var token = token("");

        assertThatThrownBy(() -> join(token, "ctl2"))
                .hasMessageContaining("ctl2 is a controller already");

        assertThat(join(token, "ctl3").getRole()).isEqualTo("controller");
    }

    private JoinToken token(String host) throws Exception {
        var request =
                CreateJoinTokenRequest.newBuilder().setRole("controller").setHost(host).build();
        return JoinToken.parse(controller.as("root", 0).createJoinToken(request).getToken());
    }

    private JoinReply join(JoinToken token, String host) throws Exception {
        return controller
                .fromOutside()
                .join(
                        JoinRequest.newBuilder()
                                .setSecret(token.secret())
                                .setHost(host)
                                .setCsr(
                                        ByteString.copyFrom(
                                                HostKeys.create().certificateRequest(host)))
                                .build());
    }
}
