package dev.spur.agent.io;

import dev.spur.agent.step.StepAttachment;
import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLauncher;
import dev.spur.agent.step.StepListener;
import dev.spur.agent.step.StepPlan;
import dev.spur.agent.step.StepStatus;
import dev.spur.agent.step.SupervisedStep;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// Steps without processes: each begins at once, and its streams are reached or not as the test
/// says.
final class ScriptedLauncher implements StepLauncher {
    /// Why the next attempts to reach the streams fail; one more succeeds.
    final Queue<IOException> troubles = new ArrayDeque<>();

    /// The steps end before anybody can reach their streams.
    boolean endsAtOnce;

    /// So often the connection to the streams breaks after the first letter, when the step has
    /// ended.
    int breaks;

    /// Passes on the output of the last step whose streams were reached.
    final BlockingQueue<Thread> readers = new LinkedBlockingQueue<>();

    /// Hears of the last step that was launched.
    private volatile @Nullable StepListener lastListener;

    /// The supervisor of the last step is killed.
    void lose() {
        Objects.requireNonNull(lastListener).lost("the step supervisor was killed");
    }

    @Override
    public SupervisedStep launch(StepPlan plan, @Nullable Duration lease, StepListener listener) {
        lastListener = listener;
        listener.changed(status(plan, StepStatus.State.RUNNING));
        if (endsAtOnce) {
            listener.changed(status(plan, StepStatus.State.ENDED));
        }
        return new Step(plan, listener);
    }

    private static StepStatus status(StepPlan plan, StepStatus.State state) {
        var ended = state == StepStatus.State.ENDED;
        return new StepStatus(
                plan.key(),
                "boot",
                1,
                state,
                1_000,
                ended ? 2_000 : 0,
                false,
                false,
                false,
                false,
                "",
                false,
                "",
                List.of(new StepStatus.Task(0, 10, ended, 0, 0, StepStatus.TaskUsage.NONE)),
                StepStatus.GroupUsage.NONE);
    }

    private final class Step implements SupervisedStep {
        private final StepPlan plan;
        private final StepListener listener;

        Step(StepPlan plan, StepListener listener) {
            this.plan = plan;
            this.listener = listener;
        }

        /// It says `hi` and ends.
        @Override
        public StepAttachment lookOn(
                List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
                throws IOException {
            return attach(resumeAt, receiver);
        }

        @Override
        public StepAttachment attach(
                List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
                throws IOException {
            var trouble = troubles.poll();
            if (trouble != null) {
                throw trouble;
            }
            var from = resumeAt.isEmpty() ? 0 : (int) resumeAt.getFirst().offset();
            readers.add(
                    Thread.startVirtualThread(
                            breaks-- > 0
                                    ? () -> breakOff(receiver)
                                    : () -> sayAll(receiver, from)));
            return new Silent();
        }

        private void sayAll(StepAttachment.Receiver receiver, int from) {
            receiver.attached(0, 1);
            receiver.output(
                    new StreamPosition(0, 1, from),
                    Arrays.copyOfRange(new byte[] {'h', 'i'}, from, 2));
            receiver.outputEnded(new StreamPosition(0, 1, 2));
            listener.changed(status(plan, StepStatus.State.ENDED));
        }

        private void breakOff(StepAttachment.Receiver receiver) {
            receiver.attached(0, 1);
            receiver.output(new StreamPosition(0, 1, 0), new byte[] {'h'});
            listener.changed(status(plan, StepStatus.State.ENDED));
            receiver.detached();
        }

        @Override
        public void signal(int signal, boolean firstProcessesOnly, String why) {}

        @Override
        public void say(String line) {}

        @Override
        public void terminate(Duration wait, String why) {}

        @Override
        public void limitTime(@Nullable Duration remaining) {}

        @Override
        public void lease(@Nullable Duration remaining) {}

        @Override
        public CompletableFuture<StepStatus> usage() {
            return CompletableFuture.completedFuture(status(plan, StepStatus.State.RUNNING));
        }

        @Override
        public void dismiss() {}

        @Override
        public void release() {}
    }

    private static final class Silent implements StepAttachment {
        @Override
        public void seen(SupervisedStep.StreamPosition upTo) {}

        @Override
        public void input(int rank, long offset, byte[] data) {}

        @Override
        public void type(int rank, byte[] data) {}

        @Override
        public void endInput(int rank) {}

        @Override
        public void resize(int rows, int columns) {}

        @Override
        public void close() {}
    }

    @Override
    public List<FoundStep> find() {
        return List.of();
    }

    @Override
    public SupervisedStep adopt(StepStatus status, StepListener listener) {
        throw new UnsupportedOperationException("nothing is found here");
    }

    @Override
    public void remove(StepKey key) {}

    @Override
    public void removeJob(int job, int attempt) {}
}
