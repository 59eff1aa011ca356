package dev.spur.runtime.config;

/// `[isolation]` in spur.conf: what separates a job from the node and from other jobs.
public record IsolationConfig(
        boolean setuid,
        @Key(notYetUsed = true) boolean namespaces,
        @Key(notYetUsed = true) boolean seccomp,
        @Key(notYetUsed = true) boolean landlock) {

    public static final IsolationConfig DEFAULTS = new IsolationConfig(true, true, true, true);
}
