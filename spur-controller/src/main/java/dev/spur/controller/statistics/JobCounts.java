package dev.spur.controller.statistics;

import dev.spur.controller.state.EventFeed;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobState;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// Counts what became of jobs, as events tell. What a controller missed it does not make up.
public final class JobCounts implements EventFeed.Listener {
    final LongAdder submitted = new LongAdder();
    final LongAdder started = new LongAdder();
    final LongAdder completed = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder failed = new LongAdder();

    @Override
    public void changed(List<Event> events) {
        for (var event : events) {
            if (event instanceof Event.JobSubmitted) {
                submitted.increment();
            } else if (event instanceof Event.JobStarted) {
                started.increment();
            } else if (event instanceof Event.JobEnded(var job)) {
                ended(job);
            }
        }
    }

    private void ended(Job job) {
        var state = job.state();
        (state == JobState.COMPLETED ? completed : state == JobState.CANCELLED ? cancelled : failed)
                .increment();
    }

    @Override
    public void resync(Snapshot snapshot) {}

    void reset() {
        List.of(submitted, started, completed, cancelled, failed).forEach(LongAdder::reset);
    }
}
