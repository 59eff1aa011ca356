package dev.spur.testkit.bench;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.SubmitJobReply;
import io.grpc.Channel;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Held jobs submitted over one connection without waiting for each answer.
final class Pipeline {
    private Pipeline() {}

    /// Returns when all are accepted.
    ///
    /// @param window how many may be unanswered
    static void submit(Channel controller, CallerIdentity caller, int jobs, int window)
            throws InterruptedException {
        var stub =
                ControllerGrpc.newStub(controller)
                        .withInterceptors(
                                MetadataUtils.newAttachHeadersInterceptor(
                                        CallerHeaders.of(caller)));
        var request = Submissions.job(true);
        var free = new Semaphore(window);
        var failure = new AtomicReference<@Nullable Throwable>();
        for (var i = 0; i < jobs; i++) {
            free.acquire();
            stub.submitJob(Submissions.fresh(request), new Answer(free, failure));
        }
        free.acquire(window);
        var failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a submission was refused", failed);
        }
    }

    /// Makes room for the next call.
    private record Answer(Semaphore free, AtomicReference<@Nullable Throwable> failure)
            implements StreamObserver<SubmitJobReply> {
        @Override
        public void onNext(SubmitJobReply reply) {}

        @Override
        public void onError(Throwable cause) {
            failure.set(cause);
            free.release();
        }

        @Override
        public void onCompleted() {
            free.release();
        }
    }
}
