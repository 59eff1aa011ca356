package dev.spur.engine.reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What `scontrol create reservation` and `update` ask for. What is missing was not said: of a new
/// one it is what Slurm makes of that, of another one it stays. Append-only.
///
/// @param name empty: of a new one, made up from who may use it
/// @param zone the caller's, for repeated ones
/// @param nodes names, `ALL`; of an update they may be added or taken away
/// @param purgeAfter with [ReservationFlag#PURGE_COMP]
public record ReservationRequest(
        String name,
        @Nullable Instant start,
        @Nullable Instant end,
        @Nullable Duration duration,
        String zone,
        @Nullable Names nodes,
        @Nullable Integer nodeCount,
        @Nullable String features,
        @Nullable String partition,
        @Nullable Names users,
        @Nullable Names accounts,
        @Nullable List<Entrance.Group> groups,
        List<ReservationFlag> set,
        List<ReservationFlag> cleared,
        @Nullable Duration purgeAfter) {
    public ReservationRequest {
        set = List.copyOf(set);
        cleared = List.copyOf(cleared);
        groups = groups == null ? null : List.copyOf(groups);
    }

    /// How a list is changed.
    public enum Way {
        SET,
        ADD,
        REMOVE
    }

    /// @param denied everybody but these
    public record Names(Way way, List<String> names, boolean denied) {
        public Names {
            names = List.copyOf(names);
        }

        public static Names of(String... names) {
            return new Names(Way.SET, List.of(names), false);
        }

        /// What becomes of a list.
        public List<String> of(List<String> before) {
            return switch (way) {
                case SET -> names;
                case ADD -> Stream.concat(before.stream(), names.stream()).distinct().toList();
                case REMOVE -> before.stream().filter(name -> !names.contains(name)).toList();
            };
        }
    }
}
