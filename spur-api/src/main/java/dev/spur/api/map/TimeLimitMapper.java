package dev.spur.api.map;

import dev.spur.model.notation.TimeLimit;
import org.jspecify.annotations.Nullable;

/// A message without a value means: not asked for.
public final class TimeLimitMapper {
    private static final dev.spur.api.v1.TimeLimit UNLIMITED =
            dev.spur.api.v1.TimeLimit.newBuilder().setUnlimited(true).build();

    private TimeLimitMapper() {}

    public static dev.spur.api.v1.TimeLimit toWire(@Nullable TimeLimit limit) {
        return switch (limit) {
            case null -> dev.spur.api.v1.TimeLimit.getDefaultInstance();
            case TimeLimit.Limited(var minutes) ->
                    dev.spur.api.v1.TimeLimit.newBuilder().setMinutes(minutes).build();
            case TimeLimit.Unlimited() -> UNLIMITED;
        };
    }

    public static @Nullable TimeLimit toModel(dev.spur.api.v1.TimeLimit wire) {
        return switch (wire.getLimitCase()) {
            case MINUTES -> TimeLimit.ofMinutes(wire.getMinutes());
            case UNLIMITED -> TimeLimit.UNLIMITED;
            case LIMIT_NOT_SET -> null;
        };
    }
}
