package dev.spur.agent.step;

import dev.spur.api.v1.LaunchFault;

/// A step could not be started. The message says why, for the user and the administrator.
public final class LaunchException extends Exception {
    private final LaunchFault fault;

    public LaunchException(String message, LaunchFault fault) {
        super(message);
        this.fault = fault;
    }

    public LaunchException(String message, Throwable cause, LaunchFault fault) {
        super(message + ": " + cause.getMessage(), cause);
        this.fault = fault;
    }

    /// Whose fault it is: a node is drained for its own only.
    public LaunchFault fault() {
        return fault;
    }
}
