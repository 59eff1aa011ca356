package dev.spur.engine.step;

/// Who is to blame that a step could not be started.
public enum LaunchFault {
    /// Nobody for long: another time, or elsewhere, it may do.
    PASSING,
    /// The node: other jobs would fare no better there.
    NODE,
    /// What the job asks for: it can run nowhere.
    LAUNCH
}
