package dev.spur.controller.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.SignalStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AgentSessionTest {
    private final LargeMessages large = new LargeMessages();
    private final Wire wire = new Wire();
    private final AgentSession session = session(wire);

    @Test
    void messagesArriveInOrderWithTheTermOfTheirSession() {
        session.send(message(1));
        session.send(message(2));

        assertThat(wire.numbers()).containsExactly(1, 2);
        assertThat(wire.sent).extracting(ControllerMessage::getEpoch).containsOnly(7L);
    }

    @Test
    void messagesWaitWhileTheAgentDoesNotReadAndAreMadeWhenItDoes() {
        var made = new ArrayList<Integer>();
        wire.ready = false;
        session.send(() -> {
            made.add(1);
            return Optional.empty();
        });
        session.send(message(2));
        assertThat(made).isEmpty();

        wire.ready = true;
        session.wake();

        assertThat(made).containsExactly(1);
        assertThat(wire.numbers()).containsExactly(2);
    }

    @Test
    void agentThatNeverReadsIsHungUpOnBeforeTheHeapIsFull() {
        wire.ready = false;
        for (var number = 0; number <= 20_000; number++) {
            session.send(message(number));
        }

        assertThat(wire.closed).isEqualTo("too much is waiting for this agent");
        assertThat(session.isClosed()).isTrue();
    }

    @Test
    void sessionThatFellSilentSendsNothingMoreNotEvenWhatWaited() {
        wire.ready = false;
        session.send(message(1));

        session.fallSilent();
        session.send(message(2));
        wire.ready = true;
        session.wake();

        assertThat(wire.sent).isEmpty();
    }

    @Test
    void messageThatCannotBeMadeEndsTheConnection() {
        session.send(() -> {
            throw new IllegalStateException("broken");
        });

        assertThat(wire.closed).isEqualTo("an order could not be sent");
    }

    @Test
    void fewAgentsAtATimeAreSentSomethingLarge() {
        var wires = manyThatReadNothing();

        assertThat(wires).filteredOn(to -> !to.sent.isEmpty()).hasSize(LargeMessages.PLACES);
        while (wires.stream().anyMatch(to -> !to.ready)) {
            var reader = wires.stream().filter(to -> !to.ready).findFirst().orElseThrow();
            reader.read();
            assertThat(wires)
                    .filteredOn(to -> !to.ready)
                    .hasSizeLessThanOrEqualTo(LargeMessages.PLACES);
        }
        assertThat(wires).allMatch(to -> to.sent.size() == 1);
    }

    @Test
    void agentsThatGoLeaveTheirPlacesToOthers() {
        var wires = manyThatReadNothing();
        var gone = wires.stream().filter(to -> !to.sent.isEmpty()).toList();
        var waiting = wires.stream().filter(to -> to.sent.isEmpty()).toList();
        waiting.getFirst().session().close("gone");

        gone.forEach(to -> to.session().close("gone"));

        assertThat(waiting.getFirst().sent).isEmpty();
        assertThat(waiting)
                .filteredOn(to -> !to.sent.isEmpty())
                .hasSize(LargeMessages.PLACES)
                .doesNotContain(waiting.getFirst());
    }

    @Test
    void smallMessagesWaitForNoPlace() {
        manyThatReadNothing();

        session.send(message(1));

        assertThat(wire.numbers()).containsExactly(1);
    }

    private List<Wire> manyThatReadNothing() {
        var wires = new ArrayList<Wire>();
        for (var number = 0; number < 3 * LargeMessages.PLACES; number++) {
            var to = new Wire();
            to.fillsUp = true;
            to.session = session(to);
            to.session().send(largeMessage());
            wires.add(to);
        }
        return wires;
    }

    private AgentSession session(Wire to) {
        var life = new AgentLife("node1", "node1:6818", "boot", 1);
        return new AgentSession("node1", life, to, 7, large, Runnable::run);
    }

    private static PendingMessage largeMessage() {
        return new PendingMessage() {
            @Override
            public Optional<ControllerMessage.Builder> make() {
                return message(1).make();
            }

            @Override
            public boolean isLarge() {
                return true;
            }
        };
    }

    private static PendingMessage message(int number) {
        return () ->
                Optional.of(
                        ControllerMessage.newBuilder()
                                .setSignal(SignalStep.newBuilder().setSignal(number)));
    }

    private static final class Wire implements AgentChannel {
        final List<ControllerMessage> sent = new ArrayList<>();
        boolean ready = true;
        boolean fillsUp;
        @Nullable String closed;
        @Nullable AgentSession session;

        AgentSession session() {
            return Objects.requireNonNull(session);
        }

        void read() {
            ready = true;
            session().wake();
        }

        List<Integer> numbers() {
            return sent.stream().map(message -> message.getSignal().getSignal()).toList();
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void send(ControllerMessage message) {
            sent.add(message);
            ready = !fillsUp;
        }

        @Override
        public void close(String why) {
            closed = why;
        }
    }
}
