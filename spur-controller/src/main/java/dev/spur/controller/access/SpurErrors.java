package dev.spur.controller.access;

import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;

/// The refusals that several features give.
public final class SpurErrors {
    private SpurErrors() {}

    public static SpurException denied() {
        return of(ErrorCode.ACCESS_DENIED);
    }

    /// With Slurm's own words.
    public static SpurException of(ErrorCode code) {
        return new SpurException(code, code.text());
    }

    /// For an answer that the question cannot have.
    public static SpurException unexpected(Result result) {
        return switch (result) {
            case Result.Refused(var code, var message) -> new SpurException(code, message);
            case Result.Ignored(var why) -> new SpurException(ErrorCode.TRANSITION_STATE, why);
            default -> new SpurException(ErrorCode.INTERNAL, "the cluster answered with " + result);
        };
    }
}
