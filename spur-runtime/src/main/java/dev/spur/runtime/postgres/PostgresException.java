package dev.spur.runtime.postgres;

/// The database cannot be had. The message is for the person who started the daemon.
public final class PostgresException extends RuntimeException {
    public PostgresException(String message) {
        super(message);
    }

    public PostgresException(String message, Throwable cause) {
        super(message, cause);
    }
}
