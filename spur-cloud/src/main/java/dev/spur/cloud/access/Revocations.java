package dev.spur.cloud.access;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends what lasts longer than a request when the right to it ends: a login that ended, a token
/// that was revoked, an SSH key that was deleted, a person who was deactivated or is no
/// administrator any more, a session that is over.
///
/// It looks, in one question for all, instead of being told: what another daemon of the
/// installation revoked, or somebody in the database, counts as soon.
public final class Revocations implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Revocations.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(1500);

    private final Jdbi db;
    private final InstantSource clock;
    private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofVirtual().name("revocations").unstarted(this::run);

    public Revocations(Jdbi db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    public Revocations start() {
        thread.start();
        return this;
    }

    /// Something that lasts. Closing it ends the watch.
    public final class Watch implements AutoCloseable {
        private final Grant grant;
        private final Object place;
        private final Supplier<Optional<String>> whyNot;
        private final Consumer<String> end;

        private Watch(
                Grant grant,
                Object place,
                Supplier<Optional<String>> whyNot,
                Consumer<String> end) {
            this.grant = grant;
            this.place = place;
            this.whyNot = whyNot;
            this.end = end;
        }

        @Override
        public void close() {
            watches.remove(this);
        }
    }

    private record Visit(UUID person, Object place) {}

    /// @param place where the person is: asked once for all who are the same there
    /// @param whyNot why the person may not be there any more; empty: they may
    /// @param end called once, with the reason in words; must not wait
    public Watch watch(
            Grant grant, Object place, Supplier<Optional<String>> whyNot, Consumer<String> end) {
        var watch = new Watch(grant, place, whyNot, end);
        watches.add(watch);
        return watch;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(LOOK_EVERY);
                look();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends what is to end.
    void look() {
        var all = List.copyOf(watches);
        if (all.isEmpty()) {
            return;
        }
        try {
            var still = Standing.of(db, clock, all.stream().map(watch -> watch.grant).toList());
            var asked = new HashMap<Visit, Optional<String>>();
            for (var watch : all) {
                still.whyNot(watch.grant)
                        .or(() ->
                                asked.computeIfAbsent(
                                        new Visit(watch.grant.person(), watch.place),
                                        _ -> watch.whyNot.get()))
                        .ifPresent(why -> end(watch, why));
            }
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.atWarn().setCause(e).log("it cannot be looked up who may stay");
            }
        }
    }

    private void end(Watch watch, String why) {
        if (watches.remove(watch)) {
            try {
                watch.end.accept(why);
            } catch (RuntimeException e) {
                LOG.atWarn().setCause(e).log("a connection could not be ended in order");
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    /// What of the grants still stands.
    private record Standing(
            Set<UUID> logins, Set<UUID> tokens, Set<UUID> keys, Map<UUID, Boolean> people) {
        static Standing of(Jdbi db, InstantSource clock, Collection<Grant> grants) {
            var now = clock.instant();
            return db.withHandle(handle -> {
                Function<String, Function<Function<Grant, @Nullable UUID>, Set<UUID>>> good =
                        sql ->
                                part -> {
                                    var ids =
                                            grants.stream()
                                                    .map(part)
                                                    .filter(Objects::nonNull)
                                                    .distinct()
                                                    .toList();
                                    return ids.isEmpty()
                                            ? Set.of()
                                            : new HashSet<>(
                                                    handle.createQuery(sql)
                                                            .bindArray("ids", UUID.class, ids)
                                                            .bind("now", now)
                                                            .mapTo(UUID.class)
                                                            .list());
                                };
                var people = new HashMap<UUID, Boolean>();
                handle.createQuery(
                                "select id, is_admin from person where is_active and id = any(:ids)")
                        .bindArray(
                                "ids",
                                UUID.class,
                                grants.stream().map(Grant::person).distinct().toList())
                        .map((row, _) ->
                                Map.entry(
                                        row.getObject("id", UUID.class),
                                        row.getBoolean("is_admin")))
                        .forEach(each -> people.put(each.getKey(), each.getValue()));
                return new Standing(
                        good.apply(
                                        """
                                        select id from login
                                         where id = any(:ids) and ended_at is null and expires_at > :now
                                        """)
                                .apply(Grant::login),
                        good.apply(
                                        """
                                        select id from api_token
                                         where id = any(:ids) and revoked_at is null
                                           and (expires_at is null or expires_at > :now)
                                        """)
                                .apply(Grant::token),
                        good.apply(
                                        "select id from ssh_key where id = any(:ids) and :now is not null")
                                .apply(Grant::key),
                        people);
            });
        }

        Optional<String> whyNot(Grant grant) {
            var isAdmin = people.get(grant.person());
            if (isAdmin == null) {
                return Optional.of("your account was deactivated");
            }
            if (grant.asAdministrator() && !isAdmin) {
                return Optional.of("you are no administrator any more");
            }
            if (grant.login() != null && !logins.contains(grant.login())) {
                return Optional.of("your login has ended");
            }
            if (grant.token() != null && !tokens.contains(grant.token())) {
                return Optional.of("your API token was revoked or is over");
            }
            if (grant.key() != null && !keys.contains(grant.key())) {
                return Optional.of("your SSH key was deleted");
            }
            return Optional.empty();
        }
    }
}
