package dev.spur.controller.access;

import dev.spur.api.client.CallerHeaders;
import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.raft.UnknownOutcomeException;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.notation.NotationException;
import dev.spur.runtime.identity.IdentityException;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns whatever went wrong into a status, once, at the edge. The description is for people, the
/// trailers for programs.
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /// Answers a call with what `work` gives, or with why it failed.
    public static <R> void answer(StreamObserver<R> reply, Supplier<R> work) {
        R result;
        try {
            result = work.get();
        } catch (RuntimeException e) {
            reply.onError(toStatus(e));
            return;
        }
        reply.onNext(result);
        reply.onCompleted();
    }

    /// Answers a call when what `work` begins is done, on the thread that learns of it.
    public static <R> void answerLater(
            StreamObserver<R> reply, Supplier<CompletableFuture<R>> work) {
        CompletableFuture<R> answer;
        try {
            answer = work.get();
        } catch (RuntimeException e) {
            reply.onError(toStatus(e));
            return;
        }
        // Whoever has hung up meanwhile is told nothing, and the failure to do so is nobody's.
        var _ =
                answer.whenComplete((result, failure) -> {
                    if (failure == null) {
                        reply.onNext(result);
                        reply.onCompleted();
                    } else {
                        reply.onError(toStatus(cause(failure)));
                    }
                });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }

    /// Ends a call that no feature has seen yet.
    public static void close(ServerCall<?, ?> call, Throwable why) {
        var status = toStatus(why);
        var trailers = status.getTrailers();
        call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    public static StatusRuntimeException toStatus(Throwable failure) {
        return switch (failure) {
            case StatusRuntimeException status -> status;
            case SpurException e -> status(e.code(), codeOf(e.code()), e.getMessage(), null);
            case NotLeaderException e ->
                    status(
                            ErrorCode.NOT_LEADER,
                            Status.Code.UNAVAILABLE,
                            e.getMessage(),
                            e.leader());
            case BusyException e ->
                    status(ErrorCode.BUSY, codeOf(ErrorCode.BUSY), e.getMessage(), null);
            case UnknownOutcomeException e ->
                    status(
                            ErrorCode.OUTCOME_UNKNOWN,
                            codeOf(ErrorCode.OUTCOME_UNKNOWN),
                            e.getMessage(),
                            null);
            case NotationException e ->
                    status(
                            ErrorCode.INVALID_REQUEST,
                            Status.Code.INVALID_ARGUMENT,
                            e.getMessage(),
                            null);
            case IllegalArgumentException e ->
                    status(
                            ErrorCode.INVALID_REQUEST,
                            Status.Code.INVALID_ARGUMENT,
                            e.getMessage(),
                            null);
            case IdentityException e ->
                    status(
                            ErrorCode.UNKNOWN_TOKEN,
                            Status.Code.PERMISSION_DENIED,
                            e.getMessage(),
                            null);
            default -> {
                LOG.atError().setCause(failure).log("a call failed");
                yield status(
                        ErrorCode.INTERNAL,
                        Status.Code.INTERNAL,
                        "the controller failed to answer; its log says why",
                        null);
            }
        };
    }

    private static Status.Code codeOf(ErrorCode code) {
        return Status.Code.valueOf(code.grpcStatus());
    }

    private static StatusRuntimeException status(
            ErrorCode code,
            Status.Code status,
            @org.jspecify.annotations.Nullable String message,
            @org.jspecify.annotations.Nullable String leader) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code.name());
        trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
        if (leader != null) {
            trailers.put(CallerHeaders.LEADER, leader);
        }
        return status.toStatus().withDescription(message).asRuntimeException(trailers);
    }
}
