package dev.spur.agent.step;

/// A step could not be started. The message says why, for the user and the administrator.
public final class LaunchException extends Exception {
    private final boolean nodeIsBad;

    /// @param nodeIsBad whether other steps will fail here, too
    public LaunchException(String message, boolean nodeIsBad) {
        super(message);
        this.nodeIsBad = nodeIsBad;
    }

    public LaunchException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
        this.nodeIsBad = true;
    }

    public boolean nodeIsBad() {
        return nodeIsBad;
    }
}
