package dev.spur.cloud.reach;

/// Starts programs inside one session, as its user.
public interface Programs {
    /// @throws NotReachedException if the session cannot be reached, or has ended
    RunningProgram start(Program program) throws InterruptedException;
}
