package dev.spur.cloud.reach;

import org.jspecify.annotations.Nullable;

/// Something inside a session cannot be reached. The message says why, for people.
public final class NotReachedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NotReachedException(String message) {
        this(message, null);
    }

    public NotReachedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
