package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import io.grpc.stub.ClientCallStreamObserver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private final Arrivals arrivals = new Arrivals();
    private final Stream stream = new Stream();

    @Test
    void nextOrderIsAskedForWhenTheOneBeforeWasObeyed() throws InterruptedException {
        arrivals.beforeStart(stream);
        assertThat(stream.requested).isEqualTo(1);

        arrivals.onNext(ControllerMessage.getDefaultInstance());
        assertThat(arrivals.take()).isInstanceOf(Arrivals.Arrival.Message.class);
        assertThat(stream.requested).isEqualTo(1);

        arrivals.next();
        assertThat(stream.requested).isEqualTo(2);
    }

    private static final class Stream extends ClientCallStreamObserver<AgentMessage> {
        int requested = Integer.MAX_VALUE; // as many as come

        @Override
        public void disableAutoRequestWithInitial(int count) {
            requested = count;
        }

        @Override
        public void request(int count) {
            requested += count;
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void onNext(AgentMessage message) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }
}
