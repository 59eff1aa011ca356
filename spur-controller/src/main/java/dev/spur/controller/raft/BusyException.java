package dev.spur.controller.raft;

/// More proposals wait than the controller is willing to hold; this one did not take place.
public final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BusyException() {
        super("the controller is busy, try again");
    }
}
