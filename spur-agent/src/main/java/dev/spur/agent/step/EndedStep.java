package dev.spur.agent.step;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A step whose supervisor has gone in order: there is nothing left to ask.
final class EndedStep implements SupervisedStep {
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
        return CompletableFuture.failedFuture(new StepGoneException("the step has ended"));
    }

    @Override
    public StepAttachment attach(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException {
        throw new StepGoneException("the step has ended and its output is gone");
    }

    @Override
    public StepAttachment lookOn(List<StreamPosition> resumeAt, StepAttachment.Receiver receiver)
            throws IOException {
        throw new StepGoneException("the step has ended and its output is gone");
    }

    @Override
    public void dismiss() {}

    @Override
    public void release() {}
}
