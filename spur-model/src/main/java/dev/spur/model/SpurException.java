package dev.spur.model;

/// A refusal or a fault with its code; converted to a status, a problem document or an exit code
/// once, at the edge.
public final class SpurException extends RuntimeException {
    private final ErrorCode code;

    public SpurException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public SpurException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
