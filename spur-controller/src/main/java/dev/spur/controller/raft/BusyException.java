package dev.spur.controller.raft;

/// More is asked of the controller than it is willing to hold; what was asked did not take place.
public final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BusyException() {
        this("the controller is busy, try again");
    }

    public BusyException(String message) {
        super(message);
    }
}
