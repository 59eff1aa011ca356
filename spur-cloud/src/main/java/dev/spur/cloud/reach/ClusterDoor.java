package dev.spur.cloud.reach;

import dev.spur.cloud.cluster.ClusterClients;
import dev.spur.cloud.sessions.LiveSession;
import dev.spur.cloud.sessions.Session;
import dev.spur.cloud.sessions.SessionAccess;
import dev.spur.cloud.sessions.SessionStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Into sessions that are jobs of the cluster.
public final class ClusterDoor implements SessionDoor {
    private final SessionAccess access;
    private final SessionStore sessions;
    private final Function<Session, Map<String, String>> environment;
    private final @Nullable ClusterClients clients;

    /// @param environment what the owner of a session gave it
    /// @param clients null: there is no cluster
    public ClusterDoor(
            SessionAccess access,
            SessionStore sessions,
            Function<Session, Map<String, String>> environment,
            @Nullable ClusterClients clients) {
        this.access = access;
        this.sessions = sessions;
        this.environment = environment;
        this.clients = clients;
    }

    @Override
    public Entry open(UUID person, UUID session) {
        var found = access.find(person, session);
        if (found.isEmpty()) {
            return new Absent();
        }
        var live = found.get();
        return switch (live.state()) {
            case CREATING, PENDING ->
                    new Closed("the session %s waits to be started".formatted(live.name()), false);
            case SUSPENDED ->
                    new Closed("the session %s is suspended".formatted(live.name()), false);
            case STOPPING -> new Closed("the session %s ends".formatted(live.name()), true);
            case COMPLETED, FAILED, CANCELLED ->
                    new Closed("the session %s has ended".formatted(live.name()), true);
            case RUNNING -> running(live);
        };
    }

    private Entry running(LiveSession live) {
        var cluster = clients;
        var row = sessions.find(live.id());
        if (cluster == null || row.isEmpty() || live.job() == 0 || live.node().isEmpty()) {
            return new Closed(
                    "the session %s cannot be reached just now".formatted(live.name()), false);
        }
        var session = row.get();
        var job = new SessionJob(live.job(), live.name(), live.node(), environment(session));
        return new Open(
                live.id(),
                live.name(),
                live.job() + " " + session.attempt(),
                new ClusterPrograms(() -> cluster.as(live.account(), false), job),
                new ClusterShells(() -> cluster.as(live.account(), false), job));
    }

    private Map<String, String> environment(Session session) {
        var all = new LinkedHashMap<>(environment.apply(session));
        all.put("GPUAAS_SESSION_ID", session.id().toString());
        all.put("SPUR_SESSION_ID", session.id().toString());
        return all;
    }
}
