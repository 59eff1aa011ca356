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
        HostAndPort listenAddr,
        HostAndPort restAddr,
        List<String> hosts,
        Path stateDir,
        long maxJobId,
        long firstJobId,
        List<HostAndPort> peers,
        @Nullable Integer nodeId,
        HostAndPort raftListenAddr,
        @Key("heartbeat_timeout_secs") Duration heartbeatTimeout,
        @Key(live = true) int maxBatchRequeue,
        @Key(value = "max_launch_backoff_secs", live = true) Duration maxLaunchBackoff,
        @Key(live = true) boolean holdOnPrologFail,
        @Key(value = "min_job_age_secs", formerly = "terminal_job_retention_secs", live = true)
                Duration minJobAge,
        @Key(value = "dispatch_reject_cooldown_secs", live = true) Duration dispatchRejectCooldown,
        @Key(live = true) JobInfoVisibility jobInfoVisibility,
        @Key(value = "kill_wait_secs", live = true) Duration killWait,
        @Key(live = true) int maxArraySize,
        @Key(live = true) int maxJobCount,
        int snapshotAfterEntries,
        @Key(live = true) LostNode lostNode,
        @Key(value = "lease_secs", live = true) Duration lease,
        @Key(live = true) boolean jobFileAppend,
        @Key(live = true) int returnToService) {

    /// Slurm's default: job ids have 26 bits, the rest belong to a federation.
    private static final long LARGEST_JOB_ID = 0x03ff_0000L;

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
                    new HostAndPort("127.0.0.1", 6821),
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
                    LostNode.WAIT,
                    Duration.ofMinutes(5),
                    false,
                    1);

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
                .require(
                        lostNode == LostNode.WAIT
                                || lease.compareTo(killWait.plus(SHORTEST_LEASE)) >= 0,
                        "lease_secs",
                        "must be at least %d seconds longer than kill_wait_secs, so that jobs are gone when it ends",
                        SHORTEST_LEASE.toSeconds())
                .between(0, returnToService, 2, "return_to_service")
                .check();
    }
}
