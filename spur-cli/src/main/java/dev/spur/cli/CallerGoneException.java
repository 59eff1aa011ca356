package dev.spur.cli;

/// The process that called the command has ended or closed the stream: nobody reads any more.
public final class CallerGoneException extends RuntimeException {
    public CallerGoneException(String message) {
        super(message, null, false, false);
    }
}
