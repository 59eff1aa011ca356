package dev.spur.controller.cluster;

import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.GetConfigReply;
import dev.spur.api.v1.PingReply;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Timestamps;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// `scontrol ping`, `scontrol show config`.
public final class ClusterInformation {
    /// The release whose behaviour and texts we match.
    public static final String SLURM_VERSION = "22.05.8";

    private final ReplicatedState state;
    private final Settings settings;
    private final List<RaftConfig.Peer> peers;
    private final Supplier<Leadership> leadership;
    private final String self;
    private final Path stateDirectory;
    private final String version;
    private final Instant startedAt;

    /// @param self the client address of this controller
    public ClusterInformation(
            ReplicatedState state,
            Settings settings,
            List<RaftConfig.Peer> peers,
            Supplier<Leadership> leadership,
            String self,
            Path stateDirectory,
            String version,
            Instant startedAt) {
        this.state = state;
        this.settings = settings;
        this.peers = List.copyOf(peers);
        this.leadership = leadership;
        this.self = self;
        this.stateDirectory = stateDirectory;
        this.version = version;
        this.startedAt = startedAt;
    }

    public PingReply ping() {
        var reply =
                PingReply.newBuilder()
                        .setVersion(version)
                        .setCluster(state.snapshot().config().clusterName());
        var leader =
                switch (leadership.get()) {
                    case Leadership.Leading _ -> self;
                    case Leadership.Following(var address) -> address == null ? "" : address;
                };
        for (var peer : peers) {
            var address = peer.clientAddress();
            reply.addControllers(
                    ControllerPeer.newBuilder()
                            .setHost(host(address))
                            .setUp(address.equals(self) || address.equals(leader))
                            .setLeader(address.equals(leader)));
        }
        return reply.build();
    }

    /// Under Slurm's names, and only what is true here.
    public GetConfigReply config() {
        var snapshot = state.snapshot();
        var config = settings.current();
        var rules = snapshot.config().rules();
        var values = new TreeMap<String, String>();
        values.put("AccountingStorageEnforce", "none");
        values.put("AccountingStorageTRES", tres());
        values.put("AuthType", "auth/spur");
        values.put("BOOT_TIME", Timestamps.format(startedAt, ZoneOffset.UTC));
        values.put("ClusterName", snapshot.config().clusterName());
        values.put("CompleteWait", "0 sec");
        values.put("CredType", "cred/spur");
        values.put(
                "DefMemPerNode",
                rules.defaultMemoryPerNode() == 0
                        ? "UNLIMITED"
                        : "" + rules.defaultMemoryPerNode());
        values.put("DisableRootJobs", config.auth().allowRootJobs() ? "No" : "Yes");
        values.put("EnforcePartLimits", rules.enforcePartitionLimits().name());
        values.put("FirstJobId", Integer.toString(rules.firstJobId()));
        values.put("GresTypes", gresTypes());
        values.put("InactiveLimit", seconds(config.scheduler().inactiveLimit()));
        values.put("JobFileAppend", config.controller().jobFileAppend() ? "1" : "0");
        values.put("JobRequeue", rules.requeueByDefault() ? "1" : "0");
        values.put("KillWait", seconds(rules.killWait()));
        values.put("LaunchParameters", "use_interactive_step");
        values.put("MaxArraySize", Integer.toString(rules.maxArraySize()));
        values.put("MaxJobCount", Integer.toString(rules.maxJobCount()));
        values.put("MaxJobId", Integer.toString(JobId.HIGHEST_SEQUENCE));
        values.put("MaxMemPerNode", "UNLIMITED");
        values.put("MaxNodeCount", Integer.toString(snapshot.nodes().size()));
        values.put("MinJobAge", seconds(rules.minJobAge()));
        values.put("MpiDefault", "none");
        values.put("MULTIPLE_SLURMD", "Yes");
        values.put("OverTimeLimit", "0 min");
        values.put("PreemptMode", "OFF");
        values.put("PreemptType", "preempt/none");
        values.put("PreemptExemptTime", Durations.padded(Duration.ZERO));
        values.put("PriorityType", "priority/basic");
        values.put("PrivateData", "none");
        values.put("ProctrackType", "proctrack/cgroup");
        values.put("ReturnToService", Integer.toString(returnToService(rules)));
        values.put("SchedulerType", "sched/backfill");
        values.put("SelectType", "select/cons_tres");
        values.put("SelectTypeParameters", "CR_CORE_MEMORY");
        values.put("SlurmctldHost[0]", "%s(%s)".formatted(host(self), host(self)));
        values.put("SlurmctldPort", port(self));
        values.put("SlurmctldTimeout", "120 sec");
        values.put("SlurmdPort", "6818");
        values.put("SlurmdTimeout", seconds(config.controller().heartbeatTimeout()));
        values.put("SlurmdUser", "root(0)");
        values.put("SLURM_VERSION", SLURM_VERSION);
        values.put("StateSaveLocation", stateDirectory.toString());
        values.put("SwitchType", "switch/none");
        values.put("TaskPlugin", "task/cgroup,task/affinity");
        values.put("TmpFS", "/tmp");
        values.put("TopologyPlugin", "topology/none");
        values.put("TrackWCKey", "No");
        return GetConfigReply.newBuilder()
                .putAllValues(Map.copyOf(values))
                .setCluster(snapshot.config().clusterName())
                .build();
    }

    private String gresTypes() {
        var names = new TreeSet<String>();
        state.snapshot()
                .nodes()
                .forEach(node -> node.shape().gres().forEach(gres -> names.add(gres.name())));
        return String.join(",", names);
    }

    private String tres() {
        var names = new TreeSet<String>();
        state.snapshot()
                .nodes()
                .forEach(node ->
                        node.shape()
                                .gres()
                                .forEach(gres -> {
                                    names.add("gres/" + gres.name());
                                    if (!gres.type().isEmpty()) {
                                        names.add("gres/" + gres.name() + ":" + gres.type());
                                    }
                                }));
        return "cpu,mem,energy,node,billing,fs/disk,vmem,pages"
                + (names.isEmpty() ? "" : "," + String.join(",", names));
    }

    private static int returnToService(ClusterRules rules) {
        return switch (rules.returnToService()) {
            case NEVER -> 0;
            case IF_IT_WAS_SILENT -> 1;
            case ALWAYS -> 2;
        };
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + " sec";
    }

    private static String host(String address) {
        var colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon).replace("[", "").replace("]", "");
    }

    private static String port(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }
}
