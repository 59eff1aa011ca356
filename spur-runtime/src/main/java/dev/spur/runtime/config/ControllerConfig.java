package dev.spur.runtime.config;

import dev.spur.model.notation.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `[controller]` in spur.conf.
///
/// The default addresses are on the loopback interface: a controller is open to other hosts only
/// when its administrator said so with `listen_addr = "[::]:6817"`.
public record ControllerConfig(
        @Means(
                        "Where spurctld listens for commands and agents. The default is loopback; [::]:6817 opens it to other hosts")
                HostAndPort listenAddr,
        @Means("Where the REST service listens") @Key(notYetUsed = true) HostAndPort restAddr,
        @Means(
                        "The controllers as others reach them, each a host or host:port; without a port that of listen_addr")
                List<String> hosts,
        @Means(
                        "Where the controller keeps log, snapshots, scripts and keys; only its owner may enter it")
                Path stateDir,
        @Means("The highest job id; after it ids begin again at first_job_id")
                @Key(notYetUsed = true)
                long maxJobId,
        @Means("The first job id of a new cluster") long firstJobId,
        @Means(
                        "The replication addresses of all controllers that begin a cluster together, in the same order everywhere. Not needed where controllers join with tokens")
                List<HostAndPort> peers,
        @Means("Which entry of peers this controller is, from 1") @Nullable Integer nodeId,
        @Means(
                        "Where the controller listens for other controllers, as in [::]:6821. Without it a controller that is alone lets none join")
                @Nullable HostAndPort raftListenAddr,
        @Means("After so long without a word from its agent a node counts as not responding")
                @Key("heartbeat_timeout_secs")
                Duration heartbeatTimeout,
        @Means("After so many failed launches in a row a job is held") @Key(live = true)
                int maxBatchRequeue,
        @Means("The longest pause before a job whose launch failed is tried again")
                @Key(value = "max_launch_backoff_secs", live = true)
                Duration maxLaunchBackoff,
        @Means(
                        "Whether a job whose launch failed by its node's fault is requeued held, rather than tried elsewhere")
                @Key(live = true)
                boolean holdOnPrologFail,
        @Means("How long an ended job is still shown; older ones leave sooner if room is needed")
                @Key(
                        value = "min_job_age_secs",
                        formerly = "terminal_job_retention_secs",
                        live = true)
                Duration minJobAge,
        @Means("How long a node that refused a launch gets no other")
                @Key(value = "dispatch_reject_cooldown_secs", live = true, notYetUsed = true)
                Duration dispatchRejectCooldown,
        @Means(
                        "What people see of the jobs of others: all of it, without script, paths and comments, or nothing")
                @Key(live = true)
                JobInfoVisibility jobInfoVisibility,
        @Means("From the first signal that ends a job, time-out included, to SIGKILL")
                @Key(value = "kill_wait_secs", live = true)
                Duration killWait,
        @Means("One more than the highest index of an array") @Key(live = true) int maxArraySize,
        @Means(
                        "The most jobs that the controller keeps, waiting, running and ended; beyond it submissions are refused. One user may have a tenth of it (or 1000) waiting and running")
                @Key(live = true)
                int maxJobCount,
        @Means("A snapshot is written after so many log entries") int snapshotAfterEntries,
        @Means(
                        "With less than so many MiB free where state_dir is, no more jobs are taken until there is a quarter more")
                @Key(live = true)
                int diskReserveMb,
        @Means(
                        "What becomes of the jobs of a node that does not answer: wait until it is back, or lease_kill, by which nodes end their jobs themselves and these begin again elsewhere")
                @Key(live = true)
                LostNode lostNode,
        @Means("Under lease_kill, how long after a node fell silent its jobs begin again elsewhere")
                @Key(value = "lease_secs", live = true)
                Duration lease,
        @Means(
                        "Whether output files are appended to rather than truncated, where a job does not say")
                @Key(live = true, notYetUsed = true)
                boolean jobFileAppend,
        @Means(
                        "When a node that was down serves again: 0 never by itself, 1 if it was down because it did not respond, 2 whenever it registers")
                @Key(live = true)
                int returnToService,
        @Means("How far a controller's clock may be from those of the others for it to lead")
                @Key("max_clock_skew_secs")
                Duration maxClockSkew) {

    /// Slurm's default: job ids have 26 bits, the rest belong to a federation.
    private static final long LARGEST_JOB_ID = 0x03ff_0000L;

    /// Where controllers talk to each other, unless said otherwise.
    public static final int RAFT_PORT = 6821;

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(30);

    public static final ControllerConfig DEFAULTS =
            new ControllerConfig(
                    new HostAndPort("127.0.0.1", HostAndPort.CONTROLLER_PORT),
                    new HostAndPort("127.0.0.1", 6820),
                    List.of("localhost"),
                    Path.of("/var/spool/spur"),
                    LARGEST_JOB_ID,
                    1,
                    List.of(),
                    null,
                    null,
                    Duration.ofSeconds(90),
                    5,
                    Duration.ofMinutes(5),
                    true,
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(30),
                    JobInfoVisibility.REDACTED,
                    Duration.ofSeconds(30),
                    1001,
                    1_000_000,
                    100_000,
                    128,
                    LostNode.WAIT,
                    Duration.ofMinutes(5),
                    false,
                    1,
                    Duration.ofSeconds(10));

    /// What an identified caller sees of other people's jobs.
    public enum JobInfoVisibility {
        FULL,
        REDACTED,
        OWNER_ONLY
    }

    /// What becomes of the jobs of a node that no longer answers.
    public enum LostNode {
        /// They wait until the node returns or an administrator declares it dead.
        WAIT,
        /// The node's own agent ends them when its lease runs out; then they are requeued.
        LEASE_KILL
    }

    /// Where the controllers are reached by others: a host without a port has that of
    /// `listen_addr`.
    public List<HostAndPort> addresses() {
        return hosts.stream().map(host -> HostAndPort.parse(host, listenAddr.port())).toList();
    }

    public ControllerConfig {
        hosts = List.copyOf(hosts);
        peers = List.copyOf(peers);
        new Rules()
                .require(!hosts.isEmpty(), "hosts", "needs at least one host name")
                .between(1, maxJobId, 999_999_999, "max_job_id")
                .between(1, firstJobId, maxJobId, "first_job_id")
                .require(
                        nodeId == null || (nodeId >= 1 && nodeId <= Math.max(1, peers.size())),
                        "node_id",
                        "must be the position of this controller in peers (1 to %d), was %s",
                        Math.max(1, peers.size()),
                        nodeId)
                .require(
                        peers.isEmpty() || nodeId != null || peers.size() == 1,
                        "node_id",
                        "is needed when peers has more than one entry: the position of this controller, from 1")
                .require(
                        heartbeatTimeout.isPositive(),
                        "heartbeat_timeout_secs",
                        "must be longer than zero")
                .require(
                        maxBatchRequeue >= 1,
                        "max_batch_requeue",
                        "must be at least 1, was %d",
                        maxBatchRequeue)
                .between(1, maxLaunchBackoff.toSeconds(), 86_400, "max_launch_backoff_secs")
                .between(
                        0,
                        minJobAge.toSeconds(),
                        Duration.ofDays(366).toSeconds(),
                        "min_job_age_secs")
                .between(
                        0,
                        dispatchRejectCooldown.toSeconds(),
                        86_400,
                        "dispatch_reject_cooldown_secs")
                .between(0, killWait.toSeconds(), 65_533, "kill_wait_secs")
                .between(1, maxArraySize, 4_000_001, "max_array_size")
                .require(
                        maxJobCount >= 1,
                        "max_job_count",
                        "must be at least 1, was %d",
                        maxJobCount)
                .require(
                        snapshotAfterEntries >= 1,
                        "snapshot_after_entries",
                        "must be at least 1, was %d",
                        snapshotAfterEntries)
                .between(0, diskReserveMb, 1_000_000, "disk_reserve_mb")
                .require(
                        lostNode == LostNode.WAIT
                                || lease.compareTo(killWait.plus(SHORTEST_LEASE)) >= 0,
                        "lease_secs",
                        "must be at least %d seconds longer than kill_wait_secs, so that jobs are gone when it ends",
                        SHORTEST_LEASE.toSeconds())
                .between(0, returnToService, 2, "return_to_service")
                .between(1, maxClockSkew.toSeconds(), 86_400, "max_clock_skew_secs")
                .check();
    }
}
