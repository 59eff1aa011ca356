package dev.spur.cloud.reach;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.StepSink;
import dev.spur.api.reach.StepView;
import dev.spur.api.reach.TerminalStep;
import dev.spur.api.v1.TaskEnded;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Shells as steps of a session's job that keep what they printed last.
public final class ClusterShells implements Shells {
    private static final String TERM = "xterm-256color";

    private final Supplier<ControllerClient> controller;
    private final SessionJob job;

    /// @param controller in the name of the session's user
    public ClusterShells(Supplier<ControllerClient> controller, SessionJob job) {
        this.controller = controller;
        this.job = job;
    }

    @Override
    public String start(String requestId, int rows, int columns) throws InterruptedException {
        try {
            return new TerminalStep(controller.get())
                    .start(
                            new TerminalStep.Shell(
                                    requestId,
                                    (int) job.id(),
                                    job.node(),
                                    Program.loginShell(),
                                    ClusterPrograms.environment(
                                                    job, Map.of("COLORTERM", "truecolor"))
                                            .toByteArray(),
                                    "",
                                    TERM,
                                    rows,
                                    columns));
        } catch (ControllerException e) {
            throw ClusterPrograms.notReached(job, e);
        } catch (OutputException e) {
            throw new NotReachedException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public View view(String shell, Viewer viewer) {
        var sink = new Sink(viewer);
        try {
            var view = StepView.of(controller.get(), shell, sink);
            return new LookingOn(view.begin(), sink).follow();
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw new ShellGoneException(String.valueOf(e.getMessage()), e);
            }
            throw ClusterPrograms.notReached(job, e);
        }
    }

    private static final class Sink implements StepSink {
        private final Viewer viewer;
        private volatile @Nullable TaskEnded ended;

        Sink(Viewer viewer) {
            this.viewer = viewer;
        }

        @Override
        public void data(int task, int number, long offset, byte[] bytes) throws IOException {
            viewer.data(bytes);
        }

        @Override
        public void missed(int task, int number, long bytes) {
            viewer.missed(bytes);
        }

        @Override
        public void taskEnded(String node, TaskEnded task) {
            ended = task;
        }

        ProgramEnd how() {
            var task = ended;
            if (task == null) {
                return new ProgramEnd.Lost("the shell has ended");
            }
            return task.getExitSignal() > 0
                    ? new ProgramEnd.Signalled(task.getExitSignal())
                    : new ProgramEnd.Exited(task.getExitCode());
        }
    }

    private static final class LookingOn implements View {
        private final StepView view;
        private final Sink sink;
        private volatile boolean closed;

        LookingOn(StepView view, Sink sink) {
            this.view = view;
            this.sink = sink;
        }

        LookingOn follow() {
            Thread.ofVirtual().name("shell-end").start(this::awaitEnd);
            return this;
        }

        private void awaitEnd() {
            ProgramEnd how;
            try {
                view.await();
                how = sink.how();
            } catch (IOException | OutputException | ControllerException e) {
                how = new ProgramEnd.Lost(String.valueOf(e.getMessage()));
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
            if (!closed) {
                sink.viewer.ended(how);
            }
        }

        @Override
        public void type(byte[] bytes) throws InterruptedException {
            view.typeWhenReady(bytes);
        }

        @Override
        public void resize(int rows, int columns) {
            view.resize(rows, columns);
        }

        @Override
        public void close() {
            closed = true;
            view.close();
        }
    }
}
