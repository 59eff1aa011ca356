package dev.spur.cloud.ssh;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts connections: strangers by their address until they prove who they are, people by
/// themselves from then on.
final class ConnectionBounds implements SessionListener {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionBounds.class);
    private static final AttributeKey<Object> COUNTED = new AttributeKey<>();

    private static final Duration UNTIL_TURNED_AWAY = Duration.ofSeconds(5);

    private final SshLimits limits;
    private final BiConsumer<Session, GuestRoom> entered;
    private final Map<Object, Integer> counts = new HashMap<>();
    private int strangers;

    /// @param entered called for whoever has proved who they are and may in
    ConnectionBounds(SshLimits limits, BiConsumer<Session, GuestRoom> entered) {
        this.limits = limits;
        this.entered = entered;
    }

    @Override
    public void sessionCreated(Session session) {
        var address = address(session);
        synchronized (this) {
            if (strangers < limits.strangers()
                    && counts.getOrDefault(address, 0) < limits.strangersOfOneAddress()) {
                strangers++;
                counts.merge(address, 1, Integer::sum);
                session.setAttribute(COUNTED, address);
                return;
            }
        }
        LOG.atDebug().addKeyValue("address", address).log("too many strangers");
        session.close(true);
    }

    @Override
    public void sessionEvent(Session session, Event event) {
        if (event != Event.Authenticated) {
            return;
        }
        forget(session);
        if (!(GuestRoom.admission(session) instanceof Admission.Welcome(var guest))) {
            if (GuestRoom.admission(session) instanceof Admission.NothingHere(var why)) {
                turnAway(session, why);
            }
            return;
        }
        if (!count(session, guest.person())) {
            turnAway(
                    session,
                    "you have %d connections open, the most that one person can have"
                            .formatted(limits.ofOnePerson()));
            return;
        }
        var room = new GuestRoom(guest);
        GuestRoom.enter(session, room);
        entered.accept(session, room);
    }

    /// Not at once: the answer to the proof comes first, and whoever asks for something is told why
    /// not.
    private static void turnAway(Session session, String why) {
        GuestRoom.noteAdmission(session, new Admission.NothingHere(why));
        Thread.ofVirtual()
                .name("ssh-turn-away")
                .start(() -> {
                    try {
                        Thread.sleep(UNTIL_TURNED_AWAY);
                    } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                    }
                    disconnect(session, SshConstants.SSH2_DISCONNECT_TOO_MANY_CONNECTIONS, why);
                });
    }

    private synchronized boolean count(Session session, UUID person) {
        if (counts.getOrDefault(person, 0) >= limits.ofOnePerson()) {
            return false;
        }
        counts.merge(person, 1, Integer::sum);
        session.setAttribute(COUNTED, person);
        return true;
    }

    private synchronized void forget(Session session) {
        var who = session.removeAttribute(COUNTED);
        if (who != null) {
            counts.computeIfPresent(who, (_, number) -> number == 1 ? null : number - 1);
            if (!(who instanceof UUID)) {
                strangers--;
            }
        }
    }

    @Override
    public void sessionClosed(Session session) {
        forget(session);
        var room = GuestRoom.find(session);
        if (room != null) {
            room.close();
        }
    }

    private static String address(Session session) {
        return session.getRemoteAddress() instanceof InetSocketAddress known
                ? known.getAddress().getHostAddress()
                : "unknown";
    }

    /// With the reason, which clients show.
    static void disconnect(Session session, int code, @Nullable String why) {
        try {
            session.disconnect(code, why);
        } catch (IOException _) {
            session.close(true);
        }
    }
}
