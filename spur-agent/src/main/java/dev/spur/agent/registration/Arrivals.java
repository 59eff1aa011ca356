package dev.spur.agent.registration;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// What comes from the controller on one connection, in order. The next message is asked for when
/// the one before it was obeyed: orders that nobody had time for yet wait in the controller, not in
/// the memory of this node. A launch may have megabytes.
final class Arrivals implements ClientResponseObserver<AgentMessage, ControllerMessage> {
    private final LinkedBlockingQueue<Arrival> waiting = new LinkedBlockingQueue<>();
    private @Nullable ClientCallStreamObserver<AgentMessage> stream;

    sealed interface Arrival {
        record Message(ControllerMessage message) implements Arrival {}

        record Ended(@Nullable Throwable because) implements Arrival {}
    }

    /// Blocks until something has come.
    Arrival take() throws InterruptedException {
        return waiting.take();
    }

    /// What was taken last is done.
    void next() {
        if (stream != null) {
            stream.request(1);
        }
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AgentMessage> toController) {
        toController.disableAutoRequestWithInitial(1);
        stream = toController;
    }

    @Override
    public void onNext(ControllerMessage message) {
        waiting.add(new Arrival.Message(message));
    }

    @Override
    public void onError(Throwable error) {
        waiting.add(new Arrival.Ended(error));
    }

    @Override
    public void onCompleted() {
        waiting.add(new Arrival.Ended(null));
    }
}
