package dev.spur.cloud.sessions;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.projects.Projects;
import dev.spur.cloud.projects.Role;
import java.util.Optional;
import java.util.UUID;

/// Who may do what with which session. The only place that decides it.
///
/// | | sees it | enters it | changes and ends it |
/// |---|---|---|---|
/// | its owner | yes | yes | yes |
/// | a viewer of its project | yes | | |
/// | a member | yes | yes | |
/// | an owner of the project | yes | yes | yes |
/// | an administrator | yes | | ends it |
public final class SessionAccess {
    private final SessionStore store;
    private final Projects projects;

    public SessionAccess(SessionStore store, Projects projects) {
        this.store = store;
        this.projects = projects;
    }

    /// What somebody wants to do with a session.
    public enum Wish {
        SEE,
        /// Work in it: terminals, SSH, its ports.
        ENTER,
        CHANGE,
        END
    }

    /// The session, if this person may enter it.
    public Optional<LiveSession> find(Caller.Person caller, UUID session) {
        return find(caller.id(), session);
    }

    /// The session, if this person may enter it. Being an administrator does not help: nobody reads
    /// other people's work because of a role.
    public Optional<LiveSession> find(UUID person, UUID session) {
        return store.find(session)
                .filter(found -> may(person, false, found, Wish.ENTER))
                .map(Session::live);
    }

    /// The session, if the caller may do that; otherwise, to the caller, there is none.
    Optional<Session> find(Caller.Person caller, UUID session, Wish wish) {
        return store.find(session).filter(found -> may(caller.id(), caller.isAdmin(), found, wish));
    }

    boolean may(UUID person, boolean isAdmin, Session session, Wish wish) {
        if (session.person().equals(person)) {
            return true;
        }
        if (isAdmin && (wish == Wish.SEE || wish == Wish.END)) {
            return true;
        }
        var project = session.project();
        var role = project == null ? null : projects.roleOf(project, person).orElse(null);
        return role != null
                && role.isAtLeast(
                        switch (wish) {
                            case SEE -> Role.VIEWER;
                            case ENTER -> Role.MEMBER;
                            case CHANGE, END -> Role.OWNER;
                        });
    }
}
