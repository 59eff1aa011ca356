package dev.spur.runtime.config;

/// `[isolation]` in spur.conf: what separates a job from the node and from other jobs.
///
/// `max_processes_per_cpu` bounds the processes and threads of a job on a node: so many for each of
/// its cpus there, but never less than 1024; 0 means no bound. A fork bomb then ends at its own
/// job.
public record IsolationConfig(
        @Means("Whether jobs run as their users; without it, as the agent's user")
                @Key(notYetUsed = true)
                boolean setuid,
        @Means(
                        "Processes and threads of a job for each of its CPUs on a node, at least 1024 in all; 0: no bound")
                int maxProcessesPerCpu,
        @Means("Whether jobs have namespaces of their own") @Key(notYetUsed = true)
                boolean namespaces,
        @Means("Whether system calls are filtered") @Key(notYetUsed = true) boolean seccomp,
        @Means("Whether files are restricted") @Key(notYetUsed = true) boolean landlock) {

    public static final IsolationConfig DEFAULTS = new IsolationConfig(true, 256, true, true, true);

    public IsolationConfig {
        new Rules().between(0, maxProcessesPerCpu, 1_000_000, "max_processes_per_cpu").check();
    }
}
