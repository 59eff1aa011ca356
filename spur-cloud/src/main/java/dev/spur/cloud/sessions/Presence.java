package dev.spur.cloud.sessions;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who is in which session through this daemon: terminals, SSH connections. A session in which
/// somebody is counts as used.
public final class Presence implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final Duration NOTED_EVERY = Duration.ofSeconds(20);

    private final SessionStore store;
    private final InstantSource clock;
    private final Map<UUID, Integer> entered = new ConcurrentHashMap<>();
    private final Thread thread;

    Presence(SessionStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("presence").unstarted(this::run);
    }

    Presence start() {
        thread.start();
        return this;
    }

    /// Somebody enters. Close what is returned when they leave.
    public AutoCloseable enter(UUID session) {
        entered.merge(session, 1, Integer::sum);
        store.used(session, clock.instant());
        var left = new AtomicBoolean();
        return () -> {
            if (left.compareAndSet(false, true)) {
                entered.computeIfPresent(
                        session, (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
                store.used(session, clock.instant());
            }
        };
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(NOTED_EVERY);
                note();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void note() {
        try {
            entered.keySet().forEach(session -> store.used(session, clock.instant()));
        } catch (RuntimeException e) {
            LOG.atWarn().setCause(e).log("it could not be noted which sessions are used");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
