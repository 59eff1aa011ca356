package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.SessionDoor;
import dev.spur.cloud.sessions.Session;
import dev.spur.cloud.sessions.SessionStore;
import dev.spur.cloud.users.SshKeys;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Guests by the keys of their profiles, and sessions by what people type: id, name, or the
/// beginning of either if it is the only one.
public final class KeyGuests implements GuestList {
    private static final int LONGEST_NAME = 128;
    private static final int MOST_NAMED = 5;

    private final SshKeys keys;
    private final SessionStore sessions;
    private final SessionDoor door;

    public KeyGuests(SshKeys keys, SessionStore sessions, SessionDoor door) {
        this.keys = keys;
        this.sessions = sessions;
        this.door = door;
    }

    /// Anybody can put a key that is public in their profile: whoever comes with one of several
    /// people is not led into the session of another who called it the same.
    @Override
    public Admission admit(String fingerprint, String userName) {
        Admission last = new Admission.Stranger();
        for (var holder : keys.holders(fingerprint)) {
            var admission = admit(holder, userName);
            if (admission instanceof Admission.Welcome && last instanceof Admission.Welcome) {
                return new Admission.NothingHere(
                        "several people have your key in their profiles and a session \"%s\"; say the id of yours"
                                .formatted(userName));
            }
            if (!(last instanceof Admission.Welcome)) {
                last = admission;
            }
        }
        return last;
    }

    private Admission admit(SshKeys.Holder holder, String userName) {
        var mine = sessions.ofThoseWhoMayBeIn(holder.personId());
        var meant = meant(mine, userName);
        if (meant.size() != 1) {
            return new Admission.NothingHere(
                    meant.isEmpty()
                            ? unknown(userName, mine)
                            : "\"%s\" can be more than one session: %s"
                                    .formatted(userName, names(meant)));
        }
        var session = meant.getFirst();
        return switch (door.open(holder.personId(), session.id())) {
            case SessionDoor.Absent() -> new Admission.NothingHere(unknown(userName, List.of()));
            case SessionDoor.Closed(var why, _) -> new Admission.NothingHere(why);
            case SessionDoor.Open entry ->
                    session.sshEnabled()
                            ? new Admission.Welcome(guest(holder, entry))
                            : new Admission.NothingHere(
                                    "the session %s was launched without SSH"
                                            .formatted(session.name()));
        };
    }

    private static Guest guest(SshKeys.Holder holder, SessionDoor.Open entry) {
        return new Guest(
                holder.personId(), holder.keyId(), entry.session(), entry.name(), entry.programs());
    }

    private static List<Session> meant(List<Session> mine, String text) {
        if (text.isEmpty() || text.length() > LONGEST_NAME) {
            return List.of();
        }
        var wanted = text.toLowerCase(Locale.ROOT);
        List<Predicate<Session>> ways =
                List.of(
                        session -> id(session.id()).equals(wanted),
                        session -> session.name().equals(text) && !session.state().isOver(),
                        session -> isBeginning(session, wanted) && !session.state().isOver(),
                        session -> session.name().equals(text));
        for (var way : ways) {
            var found = mine.stream().filter(way).toList();
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    private static boolean isBeginning(Session session, String wanted) {
        return id(session.id()).startsWith(wanted)
                || session.name().toLowerCase(Locale.ROOT).startsWith(wanted);
    }

    private static String id(UUID id) {
        return id.toString();
    }

    private static String unknown(String text, List<Session> mine) {
        var running = mine.stream().filter(session -> !session.state().isOver()).toList();
        return "you have no session \"%s\"%s"
                .formatted(text, running.isEmpty() ? "" : "; you have " + names(running));
    }

    private static String names(List<Session> sessions) {
        return sessions.stream()
                .limit(MOST_NAMED)
                .map(session -> "%s (%.8s)".formatted(session.name(), session.id()))
                .collect(Collectors.joining(", "));
    }
}
