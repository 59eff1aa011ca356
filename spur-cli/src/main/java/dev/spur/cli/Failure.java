package dev.spur.cli;

/// An expected end of a command with something to tell the user. The edge prints the message as
/// `squeue: error: message`, each further line as it stands, and exits with the code.
public final class Failure extends RuntimeException {
    private final int exitCode;

    public Failure(int exitCode, String message) {
        super(message, null, false, false);
        this.exitCode = exitCode;
    }

    public Failure(String message) {
        this(1, message);
    }

    public int exitCode() {
        return exitCode;
    }

    public String text() {
        var message = getMessage();
        return message == null ? "failed" : message;
    }
}
