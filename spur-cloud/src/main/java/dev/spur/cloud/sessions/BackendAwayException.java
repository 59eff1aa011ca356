package dev.spur.cloud.sessions;

/// What runs sessions could not be asked, or did not say whether it did what it was told.
public final class BackendAwayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BackendAwayException(String message, Throwable cause) {
        super(message, cause);
    }
}
