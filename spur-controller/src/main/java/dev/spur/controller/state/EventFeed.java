package dev.spur.controller.state;

import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventLog.Since;
import dev.spur.engine.state.Snapshot;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands the events of the state to those who react to them, in order, one batch at a time. The
/// apply thread only says that there is something; it waits for nobody.
public final class EventFeed {
    private static final Logger LOG = LoggerFactory.getLogger(EventFeed.class);
    private static final int AT_ONCE = 4096;

    private final ReplicatedState state;
    private final Executor executor;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private long cursor;

    /// Hears of changes on the feed's thread: takes note and returns.
    public interface Listener {
        void changed(List<Event> events);

        /// Events were missed, or everything was replaced: look at the state as it is.
        void resync(Snapshot snapshot);
    }

    /// @param executor runs one task after the other
    public EventFeed(ReplicatedState state, Executor executor) {
        this.state = state;
        this.executor = executor;
        this.cursor = state.events().end();
    }

    /// From now on; begins with [Listener#resync].
    public void subscribe(Listener listener) {
        executor.execute(() -> {
            listeners.add(listener);
            listener.resync(state.snapshot());
        });
        signal();
    }

    /// In its turn, as [#subscribe]: who comes and goes faster than the feed gets to it must be
    /// gone in the end.
    public void unsubscribe(Listener listener) {
        executor.execute(() -> listeners.remove(listener));
    }

    /// There is something new.
    public void signal() {
        if (scheduled.compareAndSet(false, true)) {
            executor.execute(this::deliver);
        }
    }

    /// Everything was replaced.
    public void replaced() {
        executor.execute(() -> {
            cursor = state.events().end();
            tellAll(listener -> listener.resync(state.snapshot()));
        });
    }

    private void deliver() {
        scheduled.set(false);
        while (true) {
            switch (state.events().since(cursor, AT_ONCE)) {
                case Since.Behind(var next) -> {
                    cursor = next;
                    tellAll(listener -> listener.resync(state.snapshot()));
                }
                case Since.News(var events, var next) -> {
                    if (events.isEmpty()) {
                        return;
                    }
                    cursor = next;
                    tellAll(listener -> listener.changed(events));
                }
            }
        }
    }

    private interface News {
        void tell(Listener listener);
    }

    private void tellAll(News news) {
        for (var listener : listeners) {
            try {
                news.tell(listener);
            } catch (RuntimeException e) {
                LOG.atError()
                        .addKeyValue("listener", listener.getClass())
                        .setCause(e)
                        .log("events not handled");
            }
        }
    }
}
