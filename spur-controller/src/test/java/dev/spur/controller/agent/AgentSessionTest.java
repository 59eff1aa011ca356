package dev.spur.controller.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.SignalStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AgentSessionTest {
    private final Wire wire = new Wire();
    private final AgentSession session =
            new AgentSession(
                    "node1",
                    new AgentLife("node1", "node1:6818", "boot", 1),
                    wire,
                    7,
                    Runnable::run);

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

    private static PendingMessage message(int number) {
        return () ->
                Optional.of(
                        ControllerMessage.newBuilder()
                                .setSignal(SignalStep.newBuilder().setSignal(number)));
    }

    private static final class Wire implements AgentChannel {
        final List<ControllerMessage> sent = new ArrayList<>();
        boolean ready = true;
        @Nullable String closed;

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
        }

        @Override
        public void close(String why) {
            closed = why;
        }
    }
}
