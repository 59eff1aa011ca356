package dev.spur.api.reach;

import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepServiceGrpc;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The conversation with the agent of one node: blocking on both sides, with as much in flight as
/// the reader has asked for.
public final class AgentStream {
    private static final int IN_FLIGHT = 16;
    private static final long PARTING_MILLIS = 1_000;

    /// What came: an output, or the end of the stream with its status.
    public sealed interface Arrival {
        record Message(StepOutput output) implements Arrival {}

        record Closed(Status status) implements Arrival {}
    }

    private final BlockingQueue<Arrival> arrived = new LinkedBlockingQueue<>();
    private final ClientCallStreamObserver<StepInput> outgoing;
    private boolean closed;
    private boolean parted;

    private AgentStream(StepServiceGrpc.StepServiceStub agent) {
        var receiver = new Receiver();
        agent.run(receiver);
        outgoing = java.util.Objects.requireNonNull(receiver.stream);
    }

    public static AgentStream open(StepServiceGrpc.StepServiceStub agent) {
        return new AgentStream(agent);
    }

    private final class Receiver implements ClientResponseObserver<StepInput, StepOutput> {
        private @Nullable ClientCallStreamObserver<StepInput> stream;

        @Override
        public void beforeStart(ClientCallStreamObserver<StepInput> requests) {
            stream = requests;
            requests.disableAutoRequestWithInitial(IN_FLIGHT);
            requests.setOnReadyHandler(AgentStream.this::wake);
        }

        @Override
        public void onNext(StepOutput output) {
            arrived.add(new Arrival.Message(output));
        }

        @Override
        public void onError(Throwable why) {
            close();
            arrived.add(new Arrival.Closed(Status.fromThrowable(why)));
        }

        @Override
        public void onCompleted() {
            close();
            arrived.add(new Arrival.Closed(Status.OK));
        }
    }

    private synchronized void close() {
        closed = true;
        notifyAll();
    }

    private synchronized void wake() {
        notifyAll();
    }

    /// What came next, or null if nothing did for so long.
    public @Nullable Arrival next(long patienceMillis) throws InterruptedException {
        var arrival = arrived.poll(patienceMillis, TimeUnit.MILLISECONDS);
        if (arrival instanceof Arrival.Message) {
            outgoing.request(1);
        }
        return arrival;
    }

    public Arrival next() throws InterruptedException {
        var arrival = arrived.take();
        if (arrival instanceof Arrival.Message) {
            outgoing.request(1);
        }
        return arrival;
    }

    public boolean isIdle() {
        return arrived.isEmpty();
    }

    /// Sends at once; what is sent to a stream that has ended is lost, as its end says all.
    public synchronized void send(StepInput input) {
        if (!closed && !parted) {
            outgoing.onNext(input);
        }
    }

    /// Waits until the agent takes more, so that nothing piles up here.
    public synchronized void sendWhenReady(StepInput input) throws InterruptedException {
        while (!closed && !parted && !outgoing.isReady()) {
            wait();
        }
        send(input);
    }

    /// Everything has arrived: the agent need not keep it any longer. Returns when it has heard so,
    /// or should have.
    public void part() throws InterruptedException {
        synchronized (this) {
            if (closed || parted) {
                return;
            }
            parted = true;
            outgoing.onCompleted();
        }
        Arrival last;
        do {
            last = next(PARTING_MILLIS);
        } while (last instanceof Arrival.Message);
    }

    public synchronized void cancel() {
        if (!closed) {
            notifyAll();
            closed = true; // whoever still has input for it is not to be told of an error
            outgoing.cancel("the caller ends", null);
        }
    }
}
