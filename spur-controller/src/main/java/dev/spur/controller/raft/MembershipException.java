package dev.spur.controller.raft;

/// The controllers that share the log are the same as before; the message says why.
public final class MembershipException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MembershipException(String message) {
        super(message);
    }
}
