package dev.spur.testkit.simulated;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.ControllerException;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.Failures;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.NotLeaderException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// People and their commands. A command asks again, with the same request id, until it has an
/// answer: the leader that it was told of, else one controller after the other. An answer that does
/// not come is given up after a while, and may come after all.
final class SimulatedClient {
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(60);

    /// Where all of them are logged in.
    static final String HOST = "login";

    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final List<SimulatedController> controllers;

    SimulatedClient(
            SimulatedTime time, SimulatedNetwork network, List<SimulatedController> controllers) {
        this.time = time;
        this.network = network;
        this.controllers = controllers;
    }

    <T> CompletableFuture<T> ask(
            Caller.Person caller, BiConsumer<SimulatedController.Life, StreamObserver<T>> call) {
        var question = new Question<>(caller, call);
        question.send();
        return question.answer;
    }

    /// From the first try to the answer.
    private final class Question<T> {
        private final Caller.Person caller;
        private final BiConsumer<SimulatedController.Life, StreamObserver<T>> call;
        private final CompletableFuture<T> answer = new SimulatedAnswer<>();
        private int next = time.random().nextInt(controllers.size());
        private int tries;

        Question(
                Caller.Person caller,
                BiConsumer<SimulatedController.Life, StreamObserver<T>> call) {
            this.caller = caller;
            this.call = call;
        }

        void send() {
            var number = ++tries;
            var controller = controllers.get(next % controllers.size());
            time.after(
                    network.delay(),
                    () ->
                            controller
                                    .life()
                                    .filter(_ -> network.reaches(HOST, controller.host()))
                                    .ifPresentOrElse(
                                            life -> handle(life, number),
                                            () -> tryAgain(number, null)));
            time.after(
                    time.between(SHORTEST_PATIENCE, LONGEST_PATIENCE),
                    () -> tryAgain(number, null));
        }

        private void tryAgain(int number, @Nullable String leader) {
            if (number != tries || answer.isDone()) {
                return;
            }
            tries++; // whatever else comes of this try is late
            next++;
            for (var i = 0; i < controllers.size(); i++) {
                if ((controllers.get(i).host() + ":6817").equals(leader)) {
                    next = i;
                }
            }
            time.after(RETRY, this::send);
        }

        private void handle(SimulatedController.Life life, int number) {
            life.process()
                    .run(() ->
                            life.process()
                                    .inThread(() ->
                                            serve(
                                                    life,
                                                    new Reply<>(
                                                            reply -> send(life, number, reply)))));
        }

        /// As the interceptors of the port do, without proof of who it is.
        private void serve(SimulatedController.Life life, Reply<T> reply) {
            if (life.leadership() instanceof Leadership.Following(var leader)) {
                reply.onError(Failures.toStatus(new NotLeaderException(leader)));
                return;
            }
            Context.current().withValue(Caller.CURRENT, caller).run(() -> call.accept(life, reply));
        }

        /// By a process that still lives in the next moment.
        private void send(SimulatedController.Life life, int number, Reply<T> reply) {
            life.process().after(Duration.ZERO, () -> carryBack(life, number, reply));
        }

        private void carryBack(SimulatedController.Life life, int number, Reply<T> reply) {
            time.after(
                    network.delay(),
                    () -> {
                        if (!network.reaches(HOST, life.host())) {
                            return; // lost: the patience of the caller ends some time
                        }
                        if (reply.isToBeAskedAgain()) {
                            tryAgain(number, reply.leader());
                        } else {
                            reply.passTo(answer);
                        }
                    });
        }
    }

    private static final class Reply<T> implements StreamObserver<T> {
        private final Consumer<Reply<T>> whole;
        private @Nullable T value;
        private @Nullable Throwable failure;

        /// @param whole told when nothing more is added
        Reply(Consumer<Reply<T>> whole) {
            this.whole = whole;
        }

        /// As real commands do. A fault is never an answer: whoever is told of one does not ask
        /// again and does not know what became of his request.
        boolean isToBeAskedAgain() {
            if (!(failure instanceof StatusRuntimeException e)) {
                return false;
            }
            if (e.getStatus().getCode() == Status.Code.INTERNAL) {
                throw new AssertionError("a request was answered with a fault: " + e.getMessage());
            }
            return ControllerException.of(e).kind() != ControllerException.Kind.REFUSED;
        }

        @Nullable String leader() {
            return failure instanceof StatusRuntimeException e && e.getTrailers() != null
                    ? e.getTrailers().get(CallerHeaders.LEADER)
                    : null;
        }

        /// Also one that comes when the caller has its answer must agree with it.
        void passTo(CompletableFuture<T> answer) {
            var said = failure == null ? Told.of(value) : Told.of(failure);
            var first = answer.isDone() ? told(answer) : said;
            if (!said.agreesWith(first)) {
                throw new AssertionError(
                        "one request was answered twice: %s, and %s".formatted(first, said));
            }
            if (failure == null) {
                answer.complete(Objects.requireNonNull(value));
            } else {
                answer.completeExceptionally(failure);
            }
        }

        private static Told told(CompletableFuture<?> answer) {
            return answer.isCompletedExceptionally()
                    ? Told.of(answer.exceptionNow())
                    : Told.of(answer.resultNow());
        }

        @Override
        public void onNext(T reply) {
            value = reply;
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
            whole.accept(this);
        }

        @Override
        public void onCompleted() {
            whole.accept(this);
        }
    }
}
