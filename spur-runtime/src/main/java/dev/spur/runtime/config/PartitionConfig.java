package dev.spur.runtime.config;

import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.TimeLimit;
import dev.spur.model.notation.TresWeights;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One `[[partitions]]` entry in spur.conf. Memory is in MiB or with a unit (`"4G"`); what is
/// absent is not limited.
public record PartitionConfig(
        @Means("The partition's name") @Key(required = true, live = true) String name,
        @Means("Whether jobs that name no partition go here") @Key(value = "default", live = true)
                boolean isDefault,
        @Means(
                        "up; down: accepts jobs, starts none; drain: starts what waits, accepts none; inactive: neither")
                @Key(live = true)
                State state,
        @Means("Its nodes as a hostlist, or ALL") @Key(live = true) Hostlist nodes,
        @Means("Nodes by their labels, in place of names") @Key(live = true, notYetUsed = true)
                Map<String, String> selector,
        @Means("The longest time limit: minutes, hours:minutes:seconds, days-hours, or UNLIMITED")
                @Key(live = true)
                TimeLimit maxTime,
        @Means("The time limit of jobs that ask for none; without it max_time") @Key(live = true)
                @Nullable TimeLimit defaultTime,
        @Means("The most nodes of one job") @Key(live = true) @Nullable Integer maxNodes,
        @Means("The fewest nodes of one job") @Key(live = true) int minNodes,
        @Means("Accounts whose jobs may run here; empty: all.") @Key(live = true)
                List<String> allowAccounts,
        @Means("Accounts whose jobs may not") @Key(live = true) List<String> denyAccounts,
        @Means(
                        "Unix groups whose members may use the partition, by the controller's host; empty: all")
                @Key(live = true)
                List<String> allowGroups,
        @Means("QOS whose jobs may run here; empty: all") @Key(live = true) List<String> allowQos,
        @Means("QOS whose jobs may not") @Key(live = true) List<String> denyQos,
        @Means("Jobs of a higher tier are planned first, whatever their priority") @Key(live = true)
                int priorityTier,
        @Means("The partition's part in a job's priority, of the highest that a partition has")
                @Key(live = true)
                int priorityJobFactor,
        @Means("What happens to a job here that is pushed aside")
                @Key(live = true, notYetUsed = true)
                PreemptMode preemptMode,
        @Means("As scheduler.preempt_exempt_time, for this partition")
                @Key(live = true, notYetUsed = true)
                @Nullable Duration preemptExemptTime,
        @Means("Memory for each CPU of jobs that ask for none") @Key(live = true)
                @Nullable MemorySize defMemPerCpu,
        @Means("Memory on each node of jobs that ask for none") @Key(live = true)
                @Nullable MemorySize defMemPerNode,
        @Means("The most memory for each CPU; whoever asks for more gets more CPUs")
                @Key(live = true)
                @Nullable MemorySize maxMemPerCpu,
        @Means(
                        "The most memory of a job on a node. Jobs that ask for none are bounded by def_mem_per_node or def_mem_per_cpu only")
                @Key(live = true)
                @Nullable MemorySize maxMemPerNode,
        @Means(
                        "Whether jobs share CPUs: NO, EXCLUSIVE (whole nodes), YES or FORCE, each with a number of jobs as in YES:4")
                @Key(live = true)
                OverSubscribe oversubscribe,
        @Means("Whether squeue and sinfo leave it out unless asked with --all") @Key(live = true)
                boolean hidden,
        @Means("Whether root alone may use it") @Key(live = true) boolean rootOnly,
        @Means("From the notice to the end of a job that is pushed aside")
                @Key(live = true, notYetUsed = true)
                Duration graceTime,
        @Means("The QOS whose limits hold for all jobs here together; empty: none")
                @Key(live = true)
                String qos,
        @Means(
                        "What a job here is billed for, as in \"CPU=1.0,Mem=0.25G,GRES/gpu=2\"; without it CPUs are")
                @Key(live = true)
                TresWeights tresBillingWeights) {

    /// In place of a list of nodes: every node of the cluster.
    public static final String ALL_NODES = "ALL";

    public static final PartitionConfig DEFAULTS = of("", false, Hostlist.EMPTY);

    /// The partition of a cluster whose file names none: every node that joins.
    public static final PartitionConfig EVERY_NODE = of("default", true, Hostlist.of(ALL_NODES));

    private static PartitionConfig of(String name, boolean isDefault, Hostlist nodes) {
        return new PartitionConfig(
                name,
                isDefault,
                State.UP,
                nodes,
                Map.of(),
                TimeLimit.UNLIMITED,
                null,
                null,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                1,
                1,
                PreemptMode.OFF,
                null,
                null,
                null,
                null,
                null,
                OverSubscribe.NO,
                false,
                false,
                Duration.ZERO,
                "",
                TresWeights.NONE);
    }

    /// Whether `nodes` stands for every node that there is or will be.
    public boolean hasAllNodes() {
        return nodes.hosts().stream().anyMatch(ALL_NODES::equalsIgnoreCase);
    }

    public enum State {
        UP,
        DOWN,
        DRAIN,
        INACTIVE
    }

    public enum PreemptMode {
        OFF,
        CANCEL,
        REQUEUE,
        SUSPEND
    }

    /// Whether jobs may share a resource of this partition, and how many at once.
    public record OverSubscribe(Sharing sharing, int jobs) {
        public static final OverSubscribe NO = new OverSubscribe(Sharing.NO, 1);

        public enum Sharing {
            NO,
            YES,
            FORCE,
            EXCLUSIVE
        }

        /// `NO`, `EXCLUSIVE`, `YES[:JOBS]` or `FORCE[:JOBS]`; four jobs where the number is
        /// missing.
        public static OverSubscribe parse(String text) {
            var parts = text.toUpperCase(Locale.ROOT).split(":", 2);
            try {
                var sharing = Sharing.valueOf(parts[0]);
                boolean shares = sharing == Sharing.YES || sharing == Sharing.FORCE;
                if (parts.length == 1) {
                    return new OverSubscribe(sharing, shares ? 4 : 1);
                }
                int jobs = Integer.parseInt(parts[1]);
                if (shares && jobs >= 1) {
                    return new OverSubscribe(sharing, jobs);
                }
            } catch (IllegalArgumentException _) {
                // Said below, in words that fit both a wrong name and a wrong number.
            }
            throw new IllegalArgumentException(
                    "must be NO, EXCLUSIVE, YES, YES:JOBS, FORCE or FORCE:JOBS, was \"%s\""
                            .formatted(text));
        }

        @Override
        public String toString() {
            return sharing == Sharing.YES || sharing == Sharing.FORCE
                    ? sharing + ":" + jobs
                    : sharing.name();
        }
    }

    public PartitionConfig {
        selector = Map.copyOf(selector);
        allowAccounts = List.copyOf(allowAccounts);
        denyAccounts = List.copyOf(denyAccounts);
        allowGroups = List.copyOf(allowGroups);
        allowQos = List.copyOf(allowQos);
        denyQos = List.copyOf(denyQos);
        new Rules()
                .require(
                        name.chars().allMatch(c -> c > ' ' && c != ',' && c != '=' && c != '"'),
                        "name",
                        "must not contain spaces, commas, quotes or equal signs, was \"%s\"",
                        name)
                .require(minNodes >= 0, "min_nodes", "must not be negative, was %d", minNodes)
                .require(
                        maxNodes == null || maxNodes >= minNodes,
                        "max_nodes",
                        "must not be below min_nodes (%d), was %s",
                        minNodes,
                        maxNodes)
                .require(
                        defaultTime == null || defaultTime.compareTo(maxTime) <= 0,
                        "default_time",
                        "must not be longer than max_time (%s), was %s",
                        maxTime,
                        defaultTime)
                .between(0, priorityTier, 65_533, "priority_tier")
                .between(0, priorityJobFactor, 65_533, "priority_job_factor")
                .require(!graceTime.isNegative(), "grace_time", "must not be negative")
                .check();
    }
}
