package dev.spur.controller.agent;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.model.ClusterRules;
import dev.spur.model.SpurException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentsTest {
    @TempDir Path directory;
    @AutoClose private OneThreadController controller;

    @BeforeEach
    void start() throws IOException {
        controller = new OneThreadController(directory);
    }

    // ---- reports ----

    @Test
    void reportIsAcknowledgedWhenItIsRecorded() {
        var agent = controller.connect("node1");
        var id = controller.run(job().on("node1"));

        agent.started(id, 0, 5);

        assertThat(acknowledged(agent)).containsExactly(5L);
    }

    @Test
    void nothingIsAcknowledgedAfterAReportThatWasLost() {
        var agent = controller.connect("node1");
        var id = controller.run(job().on("node1"));

        controller.busy(true);
        agent.started(id, 0, 5);
        controller.busy(false);
        agent.ended(id, 0, 6);

        assertThat(acknowledged(agent)).isEmpty();
        assertThat(agent.closedBecause()).contains("send it again");
    }

    // ---- two agents, one node ----

    @Test
    void agentThatConnectsAgainTakesThePlaceOfItsOldConnection() {
        var first = controller.connect("node1");

        var again = controller.connect(new PretendChannel(controller.agents(), "node1"));

        assertThat(first.closedBecause()).contains("connected again");
        assertThat(again.closedBecause()).isNull();
    }

    @Test
    void secondAgentOfTheSameNameIsRefusedWhileTheFirstAnswers() {
        var first = controller.connect("node1");
        var second = new PretendChannel(controller.agents(), "node1").on("login1");

        assertThatThrownBy(() -> controller.connect(second))
                .isInstanceOf(SpurException.class)
                .hasMessageContaining("another agent is node node1 already: node1 (node1:6818)")
                .hasMessageContaining("Stop one of the two");
        assertThat(first.closedBecause()).isNull();
    }

    @Test
    void secondAgentIsTakenWhenTheFirstHasFallenSilent() {
        controller.connect("node1");
        controller.advance(ofSeconds(21));

        assertThatCode(() ->
                        controller.connect(
                                new PretendChannel(controller.agents(), "node1").startedAt(2)))
                .doesNotThrowAnyException();
    }

    // ---- leadership and leases ----

    @Test
    void agentThatWasRecordedInAnotherTermThanItsConnectionBeganInHasToComeAgain() {
        controller.beforeTheNextEntry(controller::leadAnew);
        var late = new PretendChannel(controller.agents(), "node1");

        assertThatThrownBy(() -> controller.connect(late)).isInstanceOf(NotLeaderException.class);

        assertThat(late.closedBecause()).isEqualTo("this controller leads no longer");
        assertThat(controller.agents().send("node1", Optional::empty)).isFalse();
    }

    @Test
    void heartbeatOnAConnectionOfAnEarlierTermIsNotAnswered() {
        lease(ofMinutes(5));
        var agent = controller.connect("node1");
        agent.beat(0);
        assertThat(leases(agent)).hasSize(1);

        controller.loseLeadership();
        agent.beat(320);

        assertThat(leases(agent)).isEmpty();
        assertThat(agent.closedBecause()).isEqualTo("this controller leads no longer");
    }

    @Test
    void leaseIsGrantedWhenTheNodeHasSaidThatItCountsOnIt() {
        lease(ofMinutes(5));
        var agent = controller.connect("node1");
        var told = agent.take(ControllerMessage::hasWelcome, ControllerMessage::getWelcome);
        assertThat(controller.node("node1").lease()).isNull();

        agent.beat(told.getFirst().getLeaseSeconds());

        assertThat(granted()).isEqualTo(ofSeconds(330));
        assertThat(told.getFirst().getLeaseSeconds()).isLessThan((int) granted().toSeconds());
    }

    /// What runs on the node keeps the kill wait that it began with.
    @Test
    void leaseOfANodeIsTheSameWhateverTheKillWaitIsToday() {
        var agent = granted(ofMinutes(5));

        controller.configure(rules().leaseKill(ofMinutes(5)).killWait(ofSeconds(5)).build());
        agent.beat(320);

        assertThat(leases(agent)).containsExactly(320);
    }

    @Test
    void longerLeaseIsRecordedBeforeTheNodeHearsOfIt() {
        var agent = granted(ofMinutes(5));

        lease(ofMinutes(20));
        controller.busy(true);
        agent.beat(320);
        assertThat(leases(agent)).containsExactly(320);
        controller.busy(false);
        agent.beat(320);
        agent.beat(320);
        assertThat(leases(agent)).containsExactly(320, 1_220);

        assertThat(granted()).isEqualTo(ofSeconds(1_230));
    }

    @Test
    void shorterLeaseIsRecordedWhenTheNodeCountsOnIt() {
        var agent = granted(ofMinutes(20));

        lease(ofMinutes(5));
        agent.beat(1_220);
        assertThat(leases(agent)).containsExactly(320);
        assertThat(granted()).isEqualTo(ofSeconds(1_230));
        agent.beat(320);

        assertThat(granted()).isEqualTo(ofSeconds(330));
    }

    /// It is told of the longer one as long as the state still has the longest.
    @Test
    void shorterLeaseIsNotRecordedWhenALongerOneIsConfiguredMeanwhile() {
        var agent = granted(ofMinutes(20));
        lease(ofMinutes(5));
        agent.beat(1_220);
        leases(agent);

        controller.beforeTheNextEntry(() -> {
            lease(ofMinutes(10));
            agent.beat(1_220);
            controller.beforeTheNextEntry(() -> controller.busy(true)); // what comes after it
        });
        agent.beat(320);

        assertThat(leases(agent)).contains(620);
        assertThat(granted()).isGreaterThanOrEqualTo(ofSeconds(630));
    }

    @Test
    void leaseThatIsGivenUpIsForgottenBeforeTheNodeHearsOfIt() {
        var agent = granted(ofMinutes(5));

        controller.configure(ClusterRules.DEFAULTS);
        controller.busy(true);
        agent.beat(320);
        assertThat(leases(agent)).containsExactly(320);
        controller.busy(false);
        agent.beat(320);
        agent.beat(320);

        assertThat(leases(agent)).containsExactly(320, 0);
        assertThat(controller.node("node1").lease()).isNull();
    }

    /// node1, which counts on a lease.
    private PretendChannel granted(Duration lease) {
        lease(lease);
        var agent = controller.connect("node1");
        agent.beat((int) lease.toSeconds() + 20);
        leases(agent);
        return agent;
    }

    private void lease(Duration lease) {
        controller.configure(rules().leaseKill(lease).build());
    }

    private Duration granted() {
        return Objects.requireNonNull(controller.node("node1").lease()).goneWithin();
    }

    private static List<Integer> leases(PretendChannel agent) {
        return agent.take(
                ControllerMessage::hasHeartbeatSeen,
                message -> message.getHeartbeatSeen().getLeaseSeconds());
    }

    private static List<Long> acknowledged(PretendChannel agent) {
        return agent.take(
                ControllerMessage::hasReportSeen, message -> message.getReportSeen().getSequence());
    }
}
