package dev.spur.controller.agent;

import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.model.SpurException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SilenceWatchTest {
    @TempDir Path directory;
    @AutoClose private OneThreadController controller;
    private final ScheduledExecutorService unused = Executors.newScheduledThreadPool(0);
    private PretendChannel agent;
    private SilenceWatch.Watch watch;

    @BeforeEach
    void start() throws IOException {
        controller = new OneThreadController(directory);
        agent = controller.connect("node1");
        watch = new SilenceWatch(controller.agents(), controller::now, unused).begin();
    }

    @AfterEach
    void stop() {
        unused.shutdownNow();
    }

    @Test
    void nodeThatBeatsIsNotSilent() {
        for (var beat = 0; beat < 20; beat++) {
            pass(ofSeconds(10));
            agent.beat(0);
        }

        assertThat(controller.node("node1").responds()).isTrue();
    }

    @Test
    void nodeThatSaysNothingForAHeartbeatsTimeoutIsLost() {
        pass(ofSeconds(30));
        assertThat(controller.node("node1").responds()).isTrue();
        pass(ofSeconds(2));

        assertThat(controller.node("node1").responds()).isFalse();
        assertThat(agent.closedBecause()).isEqualTo("no heartbeat for 30 s");
    }

    @Test
    void controllersOwnPauseIsNotTheNodesSilence() {
        controller.advance(ofSeconds(110));
        watch.look();
        assertThat(controller.node("node1").responds()).isTrue();
        pass(ofSeconds(30));
        assertThat(controller.node("node1").responds()).isTrue();
        pass(ofSeconds(2));

        assertThat(controller.node("node1").responds()).isFalse();
    }

    @Test
    void controllerThatWasPausedGrantsNoLeaseUntilItKnowsThatItStillLeads() {
        controller.configure(rules().leaseKill(ofMinutes(5)).build());
        agent.beat(0);
        assertThat(agent.take(ControllerMessage::hasHeartbeatSeen, _ -> true)).hasSize(1);

        controller.advance(ofSeconds(110));
        agent.beat(290);
        controller.busy(true);
        watch.look();
        agent.beat(290);
        assertThat(agent.take(ControllerMessage::hasHeartbeatSeen, _ -> true)).isEmpty();
        assertThatThrownBy(() -> controller.connect("node2"))
                .isInstanceOf(SpurException.class)
                .hasMessageContaining("was paused");
        controller.busy(false);
        pass(ofSeconds(2));
        agent.beat(290);

        assertThat(agent.take(ControllerMessage::hasHeartbeatSeen, _ -> true)).hasSize(1);
    }

    @Test
    void heartbeatThatComesWhileItsNodeIsDeclaredSilentIsHeard() {
        var since = controller.now();
        controller.advance(ofSeconds(31));
        assertThat(controller.agents().silent(since)).contains("node1");

        agent.beat(0);
        controller.agents().lost("node1", since);

        assertThat(controller.node("node1").responds()).isTrue();
    }

    @Test
    void leaseOfANodeThatIsDeclaredSilentBeginsWithItsVeryLastWord() {
        controller.configure(rules().leaseKill(ofMinutes(5)).build());
        agent.beat(320);
        var since = controller.now();
        controller.advance(ofSeconds(31));
        assertThat(controller.agents().silent(since)).contains("node1");

        agent.onClosed(() -> agent.beat(320));
        controller.agents().lost("node1", since);
        agent.beat(320);
        var lastWord = controller.now();
        controller.advance(ofSeconds(31));
        controller.agents().lost("node1", since);

        var lease = Objects.requireNonNull(controller.node("node1").lease());
        assertThat(lease.endsAt()).isEqualTo(lastWord.plus(lease.goneWithin()));
    }

    @Test
    void leaderWhoseClockIsBehindThatOfTheLastOneEndsNoLeaseEarly() {
        controller.configure(rules().leaseKill(ofMinutes(5)).build());
        agent.beat(0);
        var told =
                agent.take(
                        ControllerMessage::hasHeartbeatSeen,
                        message -> message.getHeartbeatSeen().getLeaseSeconds());
        agent.beat(told.getFirst());
        var clusterTime = controller.now();
        controller.advance(ofMinutes(-10));
        watch = new SilenceWatch(controller.agents(), controller::now, unused).begin();
        agent.beat(told.getFirst());

        pass(ofSeconds(32));

        var lease = Objects.requireNonNull(controller.node("node1").lease());
        assertThat(lease.endsAt())
                .isEqualTo(clusterTime.minus(ofSeconds(32)).plus(lease.goneWithin()));
    }

    /// The watch looks every two seconds, as its timer would let it.
    private void pass(Duration time) {
        for (var passed = Duration.ZERO;
                passed.compareTo(time) < 0;
                passed = passed.plus(SilenceWatch.EVERY)) {
            controller.advance(SilenceWatch.EVERY);
            watch.look();
        }
    }
}
