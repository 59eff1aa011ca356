package dev.spur.controller.raft;

import org.jspecify.annotations.Nullable;

/// Nobody can say whether the proposal took place. Whoever made it repeats it with the same request
/// id, or looks.
public final class UnknownOutcomeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UnknownOutcomeException(String because, @Nullable Throwable cause) {
        super(because + "; it may or may not have happened", cause);
    }
}
