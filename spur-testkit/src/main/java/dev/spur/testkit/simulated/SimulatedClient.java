package dev.spur.testkit.simulated;

import dev.spur.api.v1.ControllerGrpc.ControllerImplBase;
import dev.spur.controller.access.Caller;
import dev.spur.model.Actor;
import dev.spur.model.Role;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// alice, who asks again with the same request id until she has an answer.
final class SimulatedClient {
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Caller.Person ALICE =
            new Caller.Person(
                    new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR),
                    1002,
                    List.of(1002));

    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final Supplier<Optional<SimulatedController.Life>> controller;

    SimulatedClient(
            SimulatedTime time,
            SimulatedNetwork network,
            Supplier<Optional<SimulatedController.Life>> controller) {
        this.time = time;
        this.network = network;
        this.controller = controller;
    }

    <T> CompletableFuture<T> ask(BiConsumer<ControllerImplBase, StreamObserver<T>> call) {
        var answer = new CompletableFuture<T>();
        send(call, answer);
        return answer;
    }

    private <T> void send(
            BiConsumer<ControllerImplBase, StreamObserver<T>> call, CompletableFuture<T> answer) {
        time.after(
                network.delay(),
                () ->
                        controller
                                .get()
                                .ifPresentOrElse(
                                        serving -> handle(serving, call, answer),
                                        () -> sendAgain(call, answer)));
    }

    private <T> void sendAgain(
            BiConsumer<ControllerImplBase, StreamObserver<T>> call, CompletableFuture<T> answer) {
        time.after(RETRY, () -> send(call, answer));
    }

    private <T> void handle(
            SimulatedController.Life serving,
            BiConsumer<ControllerImplBase, StreamObserver<T>> call,
            CompletableFuture<T> answer) {
        var reply = new Reply<T>();
        Context.current()
                .withValue(Caller.CURRENT, ALICE)
                .run(() ->
                        serving.await(() -> {
                            call.accept(serving.service(), reply);
                            return true;
                        }));
        time.after(
                network.delay(),
                () -> {
                    var lost = !serving.isAlive();
                    if (lost || reply.isToBeAskedAgain()) {
                        sendAgain(call, answer);
                    } else {
                        reply.passTo(answer);
                    }
                });
    }

    private static final class Reply<T> implements StreamObserver<T> {
        private @Nullable T value;
        private @Nullable Throwable failure;

        boolean isToBeAskedAgain() {
            return failure != null
                    && switch (Status.fromThrowable(failure).getCode()) {
                        case UNAVAILABLE, RESOURCE_EXHAUSTED -> true;
                        default -> false;
                    };
        }

        void passTo(CompletableFuture<T> answer) {
            if (failure == null) {
                answer.complete(Objects.requireNonNull(value));
            } else {
                answer.completeExceptionally(failure);
            }
        }

        @Override
        public void onNext(T reply) {
            value = reply;
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
        }

        @Override
        public void onCompleted() {}
    }
}
