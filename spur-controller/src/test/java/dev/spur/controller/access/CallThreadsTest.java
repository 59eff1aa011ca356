package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.ControllerGrpc;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class CallThreadsTest {
    private static final CallerIdentity ALICE =
            new CallerIdentity.Vouched(1000, 1000, "alice", List.of());

    private final List<Runnable> onThreads = new ArrayList<>();
    private final List<String> handled = new ArrayList<>();
    private final CallThreads threads = new CallThreads(onThreads::add);
    private final ServerStreamTracer bytes =
            new ArrivingBytes().newServerStreamTracer("", new Metadata());

    @Test
    void aSubmissionIsHandledWhereItArrives() {
        execute(executor(ControllerGrpc.getSubmitJobMethod(), ALICE));

        assertThat(handled).containsExactly("here");
    }

    @Test
    void whatMayWaitHasAThread() {
        execute(executor(ControllerGrpc.getCreateTokenMethod(), ALICE));

        assertThat(handled).isEmpty();
        assertThat(onThreads).hasSize(1);
    }

    @Test
    void whoComesWithATokenHasAThread() {
        execute(executor(ControllerGrpc.getSubmitJobMethod(), new CallerIdentity.Bearer("a.b.c")));

        assertThat(handled).isEmpty();
        assertThat(onThreads).hasSize(1);
    }

    @Test
    void aLargeRequestHasAThreadFromWhereItIsLarge() {
        var executor = executor(ControllerGrpc.getSubmitJobMethod(), ALICE);
        bytes.inboundWireSize(1 << 10);
        execute(executor);
        bytes.inboundWireSize(1 << 20);
        execute(executor);

        assertThat(handled).hasSize(1);
        assertThat(onThreads).hasSize(1);
    }

    private void execute(Executor executor) {
        executor.execute(() -> handled.add("here"));
    }

    private Executor executor(MethodDescriptor<?, ?> method, CallerIdentity caller) {
        var chosen = new ArrayList<Executor>();
        bytes.filterContext(Context.ROOT)
                .run(() ->
                        chosen.add(
                                threads.getExecutor(
                                        new Arriving<>(method), CallerHeaders.of(caller))));
        return chosen.getFirst();
    }

    /// A call of which only the method is known yet.
    private static final class Arriving<Q, R> extends ServerCall<Q, R> {
        private final MethodDescriptor<Q, R> method;

        Arriving(MethodDescriptor<Q, R> method) {
            this.method = method;
        }

        @Override
        public MethodDescriptor<Q, R> getMethodDescriptor() {
            return method;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(R message) {}

        @Override
        public void close(Status status, Metadata trailers) {}

        @Override
        public boolean isCancelled() {
            return false;
        }
    }
}
