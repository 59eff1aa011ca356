package dev.spur.controller.job;

import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.runtime.host.Users;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// To which of the groups that partitions are open to a user belongs. This host's word counts,
/// never the caller's: the leader asks its name service by the caller's uid and writes the answer
/// into the command, so that every replica decides alike.
public final class UserGroups {
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final int MOST_KEPT = 10_000;

    private final IntFunction<Set<String>> lookUp;
    private final InstantSource clock;
    private final ConcurrentMap<Integer, Known> known = new ConcurrentHashMap<>();

    private record Known(Set<String> groups, Instant until) {}

    /// @param lookUp the names of all groups of a uid
    public UserGroups(IntFunction<Set<String>> lookUp, InstantSource clock) {
        this.lookUp = lookUp;
        this.clock = clock;
    }

    /// The name service of this host.
    ///
    /// @param names of groups
    public static IntFunction<Set<String>> ofThisHost(IntFunction<String> names) {
        return uid ->
                Users.byUid(Integer.toUnsignedLong(uid)).stream()
                        .flatMap(user -> Users.groups(user).stream())
                        .map(gid -> names.apply(gid.intValue()))
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    /// Whether [#of] asks nobody.
    boolean areAtHand(Actor actor, Snapshot snapshot) {
        return snapshot.partitions().stream()
                        .allMatch(partition -> partition.spec().allowGroups().isEmpty())
                || isKnown(known.get(actor.uid()), clock.instant());
    }

    /// The actor with what a partition may want to know of it. Nobody is asked where no partition
    /// wants to know.
    public Actor of(Actor actor, Snapshot snapshot) {
        var wanted =
                snapshot.partitions().stream()
                        .flatMap(partition -> partition.spec().allowGroups().stream())
                        .distinct()
                        .sorted()
                        .toList();
        if (wanted.isEmpty()) {
            return actor.withGroups(List.of());
        }
        var groups = groupsOf(actor.uid());
        return actor.withGroups(wanted.stream().filter(groups::contains).toList());
    }

    private Set<String> groupsOf(int uid) {
        var now = clock.instant();
        var found = known.get(uid);
        if (found == null || !isKnown(found, now)) {
            if (known.size() >= MOST_KEPT) {
                known.clear();
            }
            found = new Known(lookUp.apply(uid), now.plus(KEPT));
            known.put(uid, found);
        }
        return found.groups();
    }

    private static boolean isKnown(@Nullable Known found, Instant now) {
        return found != null && !found.until().isBefore(now);
    }
}
