package dev.spur.controller.state;

import dev.spur.engine.state.EventLog.Since;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Snapshot;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the events for one consumer, at the pace of that one: it holds up nobody, and what it does
/// not take in time it gets as a snapshot.
public final class EventFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventFollower.class);

    private final ReplicatedState state;
    private final Consumer consumer;
    private final Executor executor;
    private final java.util.function.Consumer<EventFollower> whenClosed;
    private final AtomicInteger wakes = new AtomicInteger();
    private volatile boolean isClosed;
    private volatile EventNumber seen;

    /// Who follows. If it throws, it follows no longer.
    public interface Consumer {
        /// Whether it takes more. Whoever says no calls [EventFollower#wake] when it does.
        boolean isReady();

        /// Events in order, none twice and none left out.
        void changed(List<NumberedEvent> events);

        /// Events were missed: this is what they led to, up to [Snapshot#lastEvent]. Those after it
        /// follow.
        void resync(Snapshot snapshot);
    }

    EventFollower(
            ReplicatedState state,
            EventNumber seen,
            Consumer consumer,
            Executor executor,
            java.util.function.Consumer<EventFollower> whenClosed) {
        this.state = state;
        this.seen = seen;
        this.consumer = consumer;
        this.executor = executor;
        this.whenClosed = whenClosed;
    }

    /// There may be something to read, or somebody to read it.
    public void wake() {
        if (!isClosed && wakes.getAndIncrement() == 0) {
            try {
                executor.execute(this::read);
            } catch (RejectedExecutionException e) {
                giveUp(e); // whoever wakes has others to wake
            }
        }
    }

    private void giveUp(RuntimeException why) {
        LOG.atError()
                .addKeyValue("consumer", consumer.getClass())
                .addKeyValue("seen", seen)
                .setCause(why)
                .log("events not handled; they are not followed any more");
        close();
    }

    /// The last event that the consumer has taken.
    public EventNumber seen() {
        return seen;
    }

    /// What the consumer is just being told, it is told.
    @Override
    public void close() {
        isClosed = true;
        whenClosed.accept(this);
    }

    private void read() {
        int answered;
        do {
            answered = wakes.get();
            try {
                while (!isClosed && consumer.isReady() && readNext()) {
                    // the consumer says when it has enough
                }
            } catch (RuntimeException e) {
                giveUp(e);
            }
        } while (wakes.addAndGet(-answered) != 0);
    }

    private boolean readNext() {
        switch (state.events().since(seen, EventFeed.AT_ONCE)) {
            case Since.Behind() -> {
                var snapshot = state.snapshot();
                consumer.resync(snapshot);
                seen = snapshot.lastEvent();
            }
            case Since.News(var events) -> {
                if (events.isEmpty()) {
                    return false;
                }
                consumer.changed(events);
                seen = events.getLast().number();
            }
        }
        return true;
    }
}
