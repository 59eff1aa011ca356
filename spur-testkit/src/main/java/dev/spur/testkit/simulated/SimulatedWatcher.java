package dev.spur.testkit.simulated;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobUpdate;
import dev.spur.model.JobId;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;

/// `srun`, `salloc` or `sbatch --wait`: hears how its job fares, and takes its time to read. It is
/// never told more than it reads, never told how the job was instead of how it is, and hears the
/// end.
final class SimulatedWatcher extends ServerCallStreamObserver<JobUpdate> {
    private static final Duration SLOWEST_READER = Duration.ofMinutes(2);

    private final JobId job;
    private final SimulatedTime time;
    private final SimulatedController.Life controller;
    private Runnable onReady = () -> {};
    private boolean unread;
    private boolean over;
    private String heard = "nothing";

    SimulatedWatcher(JobId job, SimulatedTime time, SimulatedController.Life controller) {
        this.job = job;
        this.time = time;
        this.controller = controller;
    }

    /// Asked when its job has ended and everything works.
    void checkThatItHeardTheEnd() {
        if (!over && controller.isAlive()) {
            throw new AssertionError(
                    "who watched job %s at %s heard %s last, and not its end"
                            .formatted(job, controller.host(), heard));
        }
    }

    @Override
    public void onNext(JobUpdate update) {
        if (unread) {
            throw new AssertionError(
                    "who watches job %s is told more than he reads".formatted(job));
        }
        if (over) {
            throw new AssertionError("job %s was told after its end".formatted(job));
        }
        unread = true;
        check(update.getJob());
        time.after(time.between(Duration.ZERO, SLOWEST_READER), this::read);
    }

    /// Told late is told as it is by then.
    private void check(Job told) {
        heard = told.getState();
        controller
                .state()
                .snapshot()
                .job(job)
                .map(known -> known.state().name())
                .filter(known -> !known.equals(told.getState()))
                .ifPresent(known -> {
                    throw new AssertionError(
                            "job %s is %s and was told as %s".formatted(job, known, heard));
                });
    }

    private void read() {
        unread = false;
        controller.process().run(onReady);
    }

    @Override
    public void onCompleted() {
        over = true;
    }

    /// What cannot be watched any more.
    @Override
    public void onError(Throwable why) {
        over = true;
    }

    @Override
    public boolean isReady() {
        return !unread;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {
        onReady = handler;
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {}

    @Override
    public void setOnCloseHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}
}
