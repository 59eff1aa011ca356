package dev.spur.api.reach;

import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/// An output cannot be read. The message says why, for people.
public final class OutputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Status.Code status;

    OutputException(Status.Code status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /// `NOT_FOUND`: there is no such file; `PERMISSION_DENIED`: the job's owner may not read it;
    /// `UNAVAILABLE`: the node does not answer.
    public Status.Code status() {
        return status;
    }
}
