package dev.spur.cli.srun;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepEnded;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.api.v1.StepStarted;
import dev.spur.api.v1.TaskEnded;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;

/// An agent whose tasks do what the test says. Remembers launches and what came after them.
final class FakeAgent extends StepServiceGrpc.StepServiceImplBase {
    static final ByteString COOKIE = ByteString.copyFromUtf8("cookie");

    final List<RunStep> launched = new CopyOnWriteArrayList<>();
    final List<StepInput> heard = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Conversation> conversations = new LinkedBlockingQueue<>();
    private BiConsumer<RunStep, Conversation> tasks = (_, conversation) -> conversation.end();
    private BiConsumer<StepInput, Conversation> answer = (_, _) -> {};

    FakeAgent running(BiConsumer<RunStep, Conversation> what) {
        tasks = what;
        return this;
    }

    FakeAgent answering(BiConsumer<StepInput, Conversation> how) {
        answer = how;
        return this;
    }

    /// The next conversation that was begun.
    Conversation current() {
        try {
            return conversations.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// What the agent says to srun.
    record Conversation(StreamObserver<StepOutput> to) {
        Conversation started() {
            return send(
                    StepOutput.newBuilder().setStarted(StepStarted.newBuilder().setCookie(COOKIE)));
        }

        Conversation prints(int task, String text) {
            return send(StepOutput.newBuilder().setStdout(data(task, text)));
        }

        Conversation complains(int task, String text) {
            return send(StepOutput.newBuilder().setStderr(data(task, text)));
        }

        Conversation exits(int task, int code) {
            return send(
                    StepOutput.newBuilder()
                            .setTaskEnded(TaskEnded.newBuilder().setTask(task).setExitCode(code)));
        }

        Conversation dies(int task, int signal) {
            return send(
                    StepOutput.newBuilder()
                            .setTaskEnded(
                                    TaskEnded.newBuilder().setTask(task).setExitSignal(signal)));
        }

        void breaksOff() {
            to.onError(Status.UNAVAILABLE.withDescription("the agent stops").asRuntimeException());
        }

        void end() {
            send(StepOutput.newBuilder().setStepEnded(StepEnded.getDefaultInstance()));
            to.onCompleted();
        }

        private Conversation send(StepOutput.Builder output) {
            to.onNext(output.build());
            return this;
        }

        private static IoData.Builder data(int task, String text) {
            return IoData.newBuilder().setTask(task).setData(ByteString.copyFromUtf8(text));
        }
    }

    @Override
    public StreamObserver<StepInput> run(StreamObserver<StepOutput> output) {
        var conversation = new Conversation(output);
        conversations.add(conversation);
        return new StreamObserver<>() {
            @Override
            public void onNext(StepInput input) {
                if (input.hasRun()) {
                    launched.add(input.getRun());
                    tasks.accept(input.getRun(), conversation);
                } else {
                    heard.add(input);
                    answer.accept(input, conversation);
                }
            }

            @Override
            public void onError(Throwable why) {}

            @Override
            public void onCompleted() {}
        };
    }
}
