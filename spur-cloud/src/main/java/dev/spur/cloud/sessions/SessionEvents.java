package dev.spur.cloud.sessions;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells whoever wants to know what happens to sessions, after it is in the database, in order.
/// What other daemons of the installation write is heard within a second, what this one writes at
/// once.
public final class SessionEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final int AT_ONCE = 500;

    private final SessionStore store;
    private final List<Consumer<SessionChange>> listeners = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private boolean poked;
    private long told;

    public SessionEvents(SessionStore store) {
        this.store = store;
        this.told = store.lastEvent();
        this.thread = Thread.ofVirtual().name("session-events").unstarted(this::run);
        store.listen(this::poke);
    }

    public SessionEvents start() {
        thread.start();
        return this;
    }

    /// The listener must not wait for anything. Close what is returned to hear no more.
    public AutoCloseable subscribe(Consumer<SessionChange> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private synchronized void poke() {
        poked = true;
        notifyAll();
    }

    private void run() {
        try {
            while (true) {
                tellNews();
                rest();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void rest() throws InterruptedException {
        if (!poked) {
            wait(LOOK_EVERY.toMillis());
        }
        poked = false;
    }

    /// A database that is away for a while has everything when it is back.
    private void tellNews() {
        try {
            List<SessionChange> news;
            do {
                news = store.eventsAfter(told, AT_ONCE);
                for (var change : news) {
                    listeners.forEach(listener -> listener.accept(change));
                    told = change.id();
                }
            } while (news.size() == AT_ONCE);
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.atWarn().setCause(e).log("events of sessions could not be told");
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
