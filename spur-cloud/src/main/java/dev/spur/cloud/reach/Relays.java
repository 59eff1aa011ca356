package dev.spur.cloud.reach;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One relay for each session that somebody's browser is in, for as long as somebody is, and a
/// while longer.
public final class Relays implements AutoCloseable {
    private static final Duration KEPT = Duration.ofSeconds(60);

    private final Map<Place, Slot> slots = new HashMap<>();

    private record Place(UUID session, String run) {}

    private static final class Slot {
        private final ReentrantLock starting = new ReentrantLock();
        private @Nullable Relay relay;
        private int users;
        private long leftAt;
    }

    /// A relay that one uses; closing gives it back.
    public final class Lease implements AutoCloseable {
        private final Place place;
        private final Relay relay;
        private boolean closed;

        private Lease(Place place, Relay relay) {
            this.place = place;
            this.relay = relay;
        }

        public Relay relay() {
            return relay;
        }

        @Override
        public void close() {
            synchronized (slots) {
                if (!closed) {
                    closed = true;
                    give(place);
                }
            }
        }
    }

    /// @throws NotReachedException if it cannot be started
    public Lease take(SessionDoor.Open entry) throws InterruptedException {
        var place = new Place(entry.session(), entry.run());
        Slot slot;
        synchronized (slots) {
            tidy();
            slot = slots.computeIfAbsent(place, _ -> new Slot());
            slot.users++;
        }
        var taken = false;
        slot.starting.lockInterruptibly();
        try {
            var relay = slot.relay;
            if (relay == null || !relay.isOpen()) {
                relay = Relay.start(entry.programs());
                slot.relay = relay;
            }
            taken = true;
            return new Lease(place, relay);
        } finally {
            slot.starting.unlock();
            if (!taken) {
                synchronized (slots) {
                    give(place);
                }
            }
        }
    }

    private void give(Place place) {
        var slot = slots.get(place);
        if (slot != null) {
            slot.users--;
            slot.leftAt = System.nanoTime();
        }
        tidy();
    }

    private void tidy() {
        var now = System.nanoTime();
        slots.values()
                .removeIf(slot -> {
                    var isOver = slot.users == 0 && now - slot.leftAt > KEPT.toNanos();
                    if (isOver && slot.relay != null) {
                        slot.relay.close();
                    }
                    return isOver;
                });
    }

    @Override
    public void close() {
        synchronized (slots) {
            slots.values()
                    .forEach(slot -> {
                        if (slot.relay != null) {
                            slot.relay.close();
                        }
                    });
            slots.clear();
        }
    }
}
