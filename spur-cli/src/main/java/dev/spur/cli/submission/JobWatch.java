package dev.spur.cli.submission;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.WatchJobRequest;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/// Follows a job through its life. A controller that goes away in the middle is no end: the watch
/// is taken up again with whoever leads then.
public final class JobWatch {
    private static final Set<String> LIVE =
            Set.of(
                    "PENDING",
                    "RUNNING",
                    "SUSPENDED",
                    "CONFIGURING",
                    "COMPLETING",
                    "REQUEUED",
                    "REQUEUE_HOLD");

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    private JobWatch() {}

    /// Hands on the job as it is and every change, until it ended.
    public static void untilEnded(
            ControllerClient controller,
            int jobId,
            boolean arrayTasks,
            Consumer<JobUpdate> listener) {
        var request =
                WatchJobRequest.newBuilder()
                        .setJobId(jobId)
                        .setIncludeArrayTasks(arrayTasks)
                        .build();
        var ended = new boolean[1];
        while (!ended[0]) {
            try {
                controller.<JobUpdate>each(
                        stub -> stub.watchJob(request),
                        update -> {
                            ended[0] = update.getEnded();
                            listener.accept(update);
                        });
                return;
            } catch (ControllerException lost) {
                if (lost.kind() == ControllerException.Kind.REFUSED || !rested()) {
                    throw lost;
                }
            }
        }
    }

    /// False when the caller is gone.
    public static boolean rested() {
        try {
            Thread.sleep(BETWEEN_TRIES);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public static boolean hasEnded(Job job) {
        return !LIVE.contains(job.getBaseState());
    }
}
