package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.NotReachedException;
import dev.spur.cloud.reach.Relay;
import dev.spur.cloud.reach.RelayConnection;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.session.Session;
import org.jspecify.annotations.Nullable;

/// What one connection has of its session: the guest, and the relay of its forwards, started with
/// the first.
final class GuestRoom implements AutoCloseable {
    private static final AttributeKey<GuestRoom> ROOM = new AttributeKey<>();
    private static final AttributeKey<Admission> ADMISSION = new AttributeKey<>();

    private final Guest guest;
    private final ReentrantLock starting = new ReentrantLock();
    private @Nullable Relay relay;
    private boolean closed;

    GuestRoom(Guest guest) {
        this.guest = guest;
    }

    Guest guest() {
        return guest;
    }

    /// The key that is shown last is the one that is then proved.
    static void noteAdmission(Session session, Admission admission) {
        session.setAttribute(ADMISSION, admission);
    }

    static @Nullable Admission admission(Session session) {
        return session.getAttribute(ADMISSION);
    }

    static void enter(Session session, GuestRoom room) {
        session.setAttribute(ROOM, room);
    }

    static @Nullable GuestRoom find(Session session) {
        return session.getAttribute(ROOM);
    }

    /// @throws NotReachedException with the reason why there is nothing for whoever is connected
    static GuestRoom of(Session session) {
        var room = find(session);
        if (room != null) {
            return room;
        }
        throw new NotReachedException(
                admission(session) instanceof Admission.NothingHere(var why)
                        ? why
                        : "you are not signed in");
    }

    RelayConnection openTcp(String host, int port) throws InterruptedException {
        return relay().openTcp(host, port);
    }

    RelayConnection openUnix(String path) throws InterruptedException {
        return relay().openUnix(path);
    }

    private Relay relay() throws InterruptedException {
        starting.lockInterruptibly();
        try {
            if (closed) {
                throw new NotReachedException("the connection ends");
            }
            if (relay == null || !relay.isOpen()) {
                relay = Relay.start(guest.programs());
            }
            return relay;
        } finally {
            starting.unlock();
        }
    }

    @Override
    public void close() {
        starting.lock();
        try {
            closed = true;
            if (relay != null) {
                relay.close();
            }
        } finally {
            starting.unlock();
        }
    }
}
