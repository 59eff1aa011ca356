package dev.spur.cloud.sessions;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.cluster.UnixAccounts;
import dev.spur.cloud.config.CloudConfig;
import dev.spur.cloud.projects.Projects;
import dev.spur.runtime.http.Endpoint;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// Everything about sessions, put together.
public final class Sessions implements AutoCloseable {
    private final SessionStore store;
    private final SessionAccess access;
    private final SessionEvents events;
    private final Presence presence;
    private final Launches launches;
    private final Reconciler reconciler;
    private final List<Endpoint<Caller>> endpoints;

    /// What sessions need of the rest.
    ///
    /// @param isStillThere whether somebody who was let in may stay
    /// @param cost of a session so far; null: nothing is charged
    /// @param rule whether somebody may launch at all
    /// @param sshHost null: there is no gateway
    public record Needs(
            Backend backend,
            Projects projects,
            UnixAccounts accounts,
            AuditLog audit,
            Predicate<Caller.Person> isStillThere,
            Cost cost,
            LaunchRule rule,
            @Nullable String sshHost,
            int sshPort,
            Path stateDirectory,
            Steps steps) {}

    /// Refuses, by a problem, what may not be launched whatever it is.
    @FunctionalInterface
    public interface LaunchRule {
        void check(UUID person, @Nullable UUID project);
    }

    /// What a session has cost so far, as JSON; null: nothing is charged.
    @FunctionalInterface
    public interface Cost {
        @Nullable Object of(UUID session);
    }

    public Sessions(CloudConfig config, Jdbi db, Needs needs, InstantSource clock) {
        var backend = needs.backend();
        var projects = needs.projects();
        this.store = new SessionStore(db);
        this.access = new SessionAccess(store, projects);
        this.events = new SessionEvents(store);
        this.presence = new Presence(store, clock);
        var secrets = SealedSecrets.open(config.auth(), needs.stateDirectory());
        this.launches =
                new Launches(
                        store, backend, projects, secrets, config.sessions(), clock, needs.steps());
        this.reconciler =
                new Reconciler(
                        db,
                        store,
                        backend,
                        launches,
                        new Attention(store, backend, launches, config.sessions()),
                        clock,
                        needs.steps());
        var capacity = new Capacity(backend, clock);
        this.endpoints =
                new ArrayList<>(
                        new SessionRoutes(
                                        store,
                                        access,
                                        launches,
                                        new Planning(
                                                backend,
                                                capacity,
                                                projects,
                                                needs.accounts(),
                                                secrets,
                                                needs.rule(),
                                                config.sessions()),
                                        capacity,
                                        backend,
                                        projects,
                                        beside(needs),
                                        needs.audit(),
                                        config.sessions(),
                                        clock)
                                .endpoints());
        endpoints.add(new EventStream(store, events, projects, needs.isStillThere()).endpoint());
    }

    private static SessionView.Beside beside(Needs needs) {
        return new SessionView.Beside() {
            @Override
            public @Nullable String project(UUID id) {
                return needs.projects().find(id).map(Projects.Project::name).orElse(null);
            }

            @Override
            public @Nullable Object cost(UUID session) {
                return needs.cost().of(session);
            }

            @Override
            public @Nullable String sshHost() {
                return needs.sshHost();
            }

            @Override
            public int sshPort() {
                return needs.sshPort();
            }
        };
    }

    public List<Endpoint<Caller>> endpoints() {
        return List.copyOf(endpoints);
    }

    public SessionAccess access() {
        return access;
    }

    public SessionEvents events() {
        return events;
    }

    public SessionStore store() {
        return store;
    }

    /// What its owner gave the session, secrets too: for whoever starts something in it.
    public Map<String, String> environment(Session session) {
        return launches.environment(session);
    }

    public Presence presence() {
        return presence;
    }

    /// Ends a session on behalf of nobody who calls: a budget that is used up, a person who is
    /// gone.
    public void stop(UUID session, String because) {
        launches.stop(session, because);
    }

    /// Compares everything with the cluster once, now.
    void reconcile() {
        reconciler.sweep();
    }

    Reconciler reconciler() {
        return reconciler;
    }

    /// Events are told from here on; other parts can be built on this before.
    public Sessions start() {
        events.start();
        presence.start();
        return this;
    }

    /// Keeps sessions and cluster the same, if this daemon is the one to do it.
    public Sessions reconciling() {
        reconciler.start();
        return this;
    }

    @Override
    public void close() {
        reconciler.close();
        presence.close();
        events.close();
    }
}
