package dev.spur.controller.state;

import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventLog.Since;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Snapshot;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands the events of the state to those who react to them, to each from where it is. The apply
/// thread only says that there is something; it waits for nobody.
///
/// Parts of the controller, which only take note, are [Listener]s on the feed's thread. Whoever may
/// take its time (a stream, a file, another process) follows at its own pace: [#follow].
public final class EventFeed {
    private static final Logger LOG = LoggerFactory.getLogger(EventFeed.class);
    static final int AT_ONCE = 4096;

    private final ReplicatedState state;
    private final Executor executor;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<EventFollower> followers = new CopyOnWriteArrayList<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /// Hears of changes on the feed's thread: takes note and returns.
    public interface Listener {
        void changed(List<Event> events);

        /// Events were missed: look at the state as it is.
        void resync(Snapshot snapshot);
    }

    /// @param executor runs one task after the other
    public EventFeed(ReplicatedState state, Executor executor) {
        this.state = state;
        this.executor = executor;
    }

    /// From now on; begins with [Listener#resync].
    public void subscribe(Listener listener) {
        executor.execute(() -> {
            var subscription = new Subscription(listener);
            subscriptions.add(subscription);
            subscription.resync();
        });
        signal();
    }

    /// In its turn, as [#subscribe]: who comes and goes faster than the feed gets to it must be
    /// gone in the end.
    public void unsubscribe(Listener listener) {
        executor.execute(() ->
                subscriptions.stream()
                        .filter(subscription -> subscription.listener == listener)
                        .findFirst()
                        .ifPresent(subscriptions::remove));
    }

    /// Reads on from an event, for as long as nobody closes what is returned. The consumer keeps
    /// the number of what it is done with, and begins there the next time, here or at another
    /// controller.
    ///
    /// @param seen the last event that it has seen
    /// @param executor where the consumer is called, by one thread at a time
    public EventFollower follow(
            EventNumber seen, EventFollower.Consumer consumer, Executor executor) {
        var follower = new EventFollower(state, seen, consumer, executor, followers::remove);
        followers.add(follower);
        follower.wake();
        return follower;
    }

    /// There is something new.
    public void signal() {
        if (scheduled.compareAndSet(false, true)) {
            executor.execute(this::deliver);
        }
    }

    private void deliver() {
        scheduled.set(false);
        while (deliverNext()) {
            // until everybody has heard everything
        }
        followers.forEach(EventFollower::wake);
    }

    private boolean deliverNext() {
        var more = false;
        var read = new HashMap<EventNumber, Since>(); // most are equally far
        for (var subscription : subscriptions) {
            more |=
                    subscription.take(
                            read.computeIfAbsent(
                                    subscription.seen,
                                    seen -> state.events().since(seen, AT_ONCE)));
        }
        return more;
    }

    private final class Subscription {
        final Listener listener;
        EventNumber seen = EventNumber.NONE;

        Subscription(Listener listener) {
            this.listener = listener;
        }

        /// Whether there was something new.
        boolean take(Since since) {
            switch (since) {
                case Since.Behind() -> resync();
                case Since.News(var events) -> {
                    if (events.isEmpty()) {
                        return false;
                    }
                    seen = events.getLast().number();
                    tell(() ->
                            listener.changed(events.stream().map(NumberedEvent::event).toList()));
                }
            }
            return true;
        }

        void resync() {
            var snapshot = state.snapshot();
            seen = snapshot.lastEvent();
            tell(() -> listener.resync(snapshot));
        }

        private void tell(Runnable news) {
            try {
                news.run();
            } catch (RuntimeException e) {
                LOG.atError()
                        .addKeyValue("listener", listener.getClass())
                        .setCause(e)
                        .log("events not handled");
            }
        }
    }
}
