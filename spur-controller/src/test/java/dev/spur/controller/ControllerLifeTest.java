package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.controller.raft.Leadership;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// How a controller begins and ends.
@Timeout(60)
class ControllerLifeTest {
    private static final Leadership LEADING = new Leadership.Leading(1);
    private static final Leadership FOLLOWING = new Leadership.Following("ctl2:6817");

    @TempDir Path directory;

    @Test
    void whatEndsWhileTheControllerIsStoppedIsNoFailure() throws Exception {
        var config = ConfigFile.parse(InProcessController.CONFIG);
        var controller =
                Controller.start(
                        new ControllerOptions(
                                config.config(),
                                ConfigFile.DEFAULT_PATH,
                                () -> config,
                                new HostAndPort("127.0.0.1", 0),
                                null,
                                directory.resolve("state"),
                                InstantSource.system(),
                                "ctl",
                                null,
                                false));
        controller.close();

        controller.fail("this controller was removed from the cluster");

        assertThatCode(controller::awaitTermination).doesNotThrowAnyException();
    }

    @Test
    void aLeaderThatIsDeposedBeforeItIsConfiguredServesAsAFollower() throws Exception {
        var never = new CompletableFuture<Void>();
        var looks = new AtomicInteger();

        Controller.awaitConfiguration(
                () -> looks.incrementAndGet() < 3 ? LEADING : FOLLOWING, never);

        assertThat(looks).hasValue(3);
    }

    @Test
    void aConfigurationThatFailedBecauseAnotherLeadsIsNoFailure() throws Exception {
        var failed = CompletableFuture.failedFuture(new IllegalStateException("not the leader"));
        var looks = new AtomicInteger();

        Controller.awaitConfiguration(
                () -> looks.incrementAndGet() < 2 ? LEADING : FOLLOWING, failed);

        assertThat(looks.get()).isGreaterThan(1);
    }

    @Test
    void aLeaderThatCannotPutItsConfigurationInForceDoesNotServe() {
        var failed = CompletableFuture.failedFuture(new IllegalStateException("refused"));

        assertThatThrownBy(() -> Controller.awaitConfiguration(() -> LEADING, failed))
                .hasMessageContaining("could not be put in force: refused");
    }
}
