package dev.spur.runtime.process;

/// The command line cannot be understood. The message is for the person who wrote it.
public final class UsageException extends RuntimeException {
    public UsageException(String message) {
        super(message);
    }
}
