package dev.spur.controller.access;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.ControllerGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// On which thread a call is handled. Most wait for something and have a thread each. A few only
/// propose and are answered when that is recorded: those are handled where they arrive, without
/// waking another thread, as long as they are small enough that others on the same connection do
/// not wait for them.
public final class CallThreads implements ServerCallExecutorSupplier {
    /// Larger ones take longer to check, to hash and to encode than a thread takes to wake.
    private static final long SMALL = 64 << 10;

    private static final Set<String> ONLY_PROPOSE =
            Stream.of(
                            ControllerGrpc.getSubmitJobMethod(),
                            ControllerGrpc.getFinishAllocationMethod())
                    .map(MethodDescriptor::getFullMethodName)
                    .collect(Collectors.toUnmodifiableSet());

    private final Executor threads;

    /// @param threads gives each task a thread that may wait
    public CallThreads(Executor threads) {
        this.threads = threads;
    }

    @Override
    public <Q, R> Executor getExecutor(ServerCall<Q, R> call, Metadata headers) {
        return isHandledAtOnce(call.getMethodDescriptor(), headers)
                ? new WhereItArrives(threads, ArrivingBytes.CURRENT.get())
                : threads;
    }

    /// To verify a token takes a while, and the name service may have to be asked for its user.
    private static boolean isHandledAtOnce(MethodDescriptor<?, ?> method, Metadata headers) {
        return ONLY_PROPOSE.contains(method.getFullMethodName())
                && !headers.containsKey(CallerHeaders.AUTHORIZATION);
    }

    private record WhereItArrives(Executor threads, ArrivingBytes.@Nullable Count count)
            implements Executor {
        @Override
        public void execute(Runnable task) {
            if (count == null || count.total() > SMALL) {
                threads.execute(task);
            } else {
                task.run();
            }
        }
    }
}
