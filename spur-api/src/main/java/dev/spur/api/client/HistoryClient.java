package dev.spur.api.client;

import dev.spur.api.v1.HistoryGrpc;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/// spurdbd, as one caller sees it. There is one, and it may be away for long: it is asked once, and
/// whoever asked says what can be shown without it.
public final class HistoryClient {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(120);

    private final ManagedChannel channel;
    private final HostAndPort address;
    private final ClientInterceptor identity;
    private final ClientInterceptor charged;

    HistoryClient(
            ManagedChannel channel,
            HostAndPort address,
            ClientInterceptor identity,
            ClientInterceptor charged) {
        this.channel = channel;
        this.address = address;
        this.identity = identity;
        this.charged = charged;
    }

    /// One request, one answer.
    public <R> R call(Function<HistoryGrpc.HistoryBlockingStub, R> request) {
        try {
            return request.apply(stub());
        } catch (StatusRuntimeException e) {
            throw failed(e);
        }
    }

    /// One request, many answers.
    public <R> void each(
            Function<HistoryGrpc.HistoryBlockingStub, Iterator<R>> request, Consumer<R> answer) {
        try {
            request.apply(stub().withExecutor(Thread::startVirtualThread)).forEachRemaining(answer);
        } catch (StatusRuntimeException e) {
            throw failed(e);
        }
    }

    private HistoryGrpc.HistoryBlockingStub stub() {
        channel.resetConnectBackoff();
        return HistoryGrpc.newBlockingStub(channel)
                .withInterceptors(identity, charged)
                .withDeadlineAfter(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    }

    private ControllerException failed(StatusRuntimeException e) {
        ChargedAnswers.rethrow(e);
        return ControllerException.code(e).isPresent() || !ControllerClient.mayPass(e)
                ? ControllerException.of(e)
                : ControllerException.unreachable(
                        "the accounting service does not answer at %s".formatted(address), e);
    }
}
