package dev.spur.engine.state;

/// Who keeps a job from starting; decides who may release it.
public enum Hold {
    NONE,
    USER,
    ADMIN,
    /// Its launches failed too often.
    REQUEUES,
    /// A prolog failed; somebody should look before it runs again.
    LAUNCH
}
