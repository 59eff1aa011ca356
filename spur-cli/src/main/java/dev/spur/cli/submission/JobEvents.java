package dev.spur.cli.submission;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.JobUpdate;
import dev.spur.cli.Invocation;
import dev.spur.cli.ProcessSignal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Everything that can happen to a command which holds a job, in one queue: signals to the command
/// and changes of the job, and whatever else its owner puts there.
public final class JobEvents implements AutoCloseable {
    /// Something that happened. Owners may have kinds of their own.
    public interface Event {}

    public record Caught(ProcessSignal signal) implements Event {}

    public record Changed(JobUpdate update) implements Event {}

    /// The controller no longer tells about the job.
    public record Lost(ControllerException why) implements Event {}

    private final Invocation in;
    private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
    private @Nullable Thread watch;

    public JobEvents(Invocation in) {
        this.in = in;
    }

    /// From now on these signals are events.
    public JobEvents listen(Set<ProcessSignal> signals) {
        in.signals().listen(signals, signal -> queue.add(new Caught(signal)));
        return this;
    }

    /// From now on changes of the job are events.
    public void watch(ControllerClient controller, int jobId) {
        watch =
                Thread.ofVirtual()
                        .name("watch-job-" + jobId)
                        .start(() -> follow(controller, jobId));
    }

    private void follow(ControllerClient controller, int jobId) {
        try {
            JobWatch.untilEnded(controller, jobId, false, update -> queue.add(new Changed(update)));
        } catch (ControllerException why) {
            queue.add(new Lost(why));
        }
    }

    public void add(Event event) {
        queue.add(event);
    }

    public Event next() throws InterruptedException {
        return queue.take();
    }

    /// The next event, or null when nothing happened for so long.
    public @Nullable Event next(Duration patience) throws InterruptedException {
        return queue.poll(Math.max(0, patience.toNanos()), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.interrupt();
        }
    }
}
