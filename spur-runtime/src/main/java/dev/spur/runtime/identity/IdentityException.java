package dev.spur.runtime.identity;

/// Keys, certificates or tokens cannot be used as they are. The message says which, why, and what
/// to do.
public final class IdentityException extends RuntimeException {
    public IdentityException(String message) {
        super(message);
    }

    public IdentityException(String message, Throwable cause) {
        super(message, cause);
    }
}
