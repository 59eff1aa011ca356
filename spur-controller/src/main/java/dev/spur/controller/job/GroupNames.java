package dev.spur.controller.job;

import dev.spur.runtime.host.Users;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;

/// Names of groups as this host knows them, kept for a while: the name service may be far away.
public final class GroupNames implements IntFunction<String> {
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final InstantSource clock;
    private final ConcurrentMap<Integer, Known> names = new ConcurrentHashMap<>();

    private record Known(String name, Instant until) {}

    public GroupNames(InstantSource clock) {
        this.clock = clock;
    }

    /// Empty if nobody knows the group.
    @Override
    public String apply(int gid) {
        var now = clock.instant();
        var known = names.get(gid);
        if (known == null || known.until().isBefore(now)) {
            var name = Users.groupName(Integer.toUnsignedLong(gid)).orElse("");
            known = new Known(name, now.plus(KEPT));
            names.put(gid, known);
        }
        return known.name();
    }
}
