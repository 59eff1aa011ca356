package dev.spur.controller.cluster;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ControllerPeer;
import dev.spur.api.v1.ControllerStanding;
import dev.spur.api.v1.GetConfigReply;
import dev.spur.api.v1.KnownAs;
import dev.spur.api.v1.PingReply;
import dev.spur.controller.access.Caller;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.admission.Admission;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.AccountingRules;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Timestamps;
import dev.spur.runtime.host.User;
import dev.spur.runtime.host.Users;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// `scontrol ping`, `scontrol show config`.
public final class ClusterInformation {
    /// The release whose behaviour and texts we match.
    public static final String SLURM_VERSION = "22.05.8";

    /// What people look for here and this release does not have.
    private static final List<String> NOT_THERE =
            List.of(
                    "BurstBufferType",
                    "Epilog",
                    "EpilogSlurmctld",
                    "FederationParameters",
                    "HealthCheckProgram",
                    "JobSubmitPlugins",
                    "Licenses",
                    "NodeFeaturesPlugins",
                    "PlugStackConfig",
                    "Prolog",
                    "PrologFlags",
                    "PrologSlurmctld",
                    "RebootProgram",
                    "RequeueExit",
                    "RequeueExitHold",
                    "ResumeProgram",
                    "SchedulerParameters",
                    "SlurmctldParameters",
                    "SlurmdParameters",
                    "SrunEpilog",
                    "SrunProlog",
                    "SuspendProgram",
                    "TaskEpilog",
                    "TaskProlog",
                    "UnkillableStepProgram",
                    "X11Parameters");

    /// A leader sends something several times a second.
    private static final Duration SILENT = Duration.ofSeconds(5);

    private final ReplicatedState state;
    private final Settings settings;
    private final Membership membership;
    private final Supplier<String> trouble;
    private final InstantSource clock;
    private final Path stateDirectory;
    private final String version;
    private final Supplier<String> recordsTrouble;
    private final Instant startedAt;

    /// @param trouble why no controller leads, if none does
    /// @param recordsTrouble what is wrong with accounting, if anything is
    public ClusterInformation(
            ReplicatedState state,
            Settings settings,
            Membership membership,
            Supplier<String> trouble,
            InstantSource clock,
            Path stateDirectory,
            String version,
            Supplier<String> recordsTrouble) {
        this.state = state;
        this.settings = settings;
        this.membership = membership;
        this.trouble = trouble;
        this.clock = clock;
        this.stateDirectory = stateDirectory;
        this.version = version;
        this.recordsTrouble = recordsTrouble;
        this.startedAt = clock.instant();
    }

    public PingReply ping(Caller caller) {
        var reply =
                PingReply.newBuilder()
                        .setYou(knownAs(caller))
                        .setVersion(version)
                        .setCluster(state.snapshot().config().clusterName())
                        .setAccountingAddress(state.snapshot().recording().address())
                        .setAccountingTrouble(recordsTrouble.get());
        var standing = membership.standing();
        var self = membership.self();
        for (var peer : membership.members()) {
            var isSelf = peer.id().equals(self.id());
            var isLeader = peer.id().equals(standing.leader());
            var silence = standing.silences().get(peer.id());
            reply.addControllers(
                    ControllerPeer.newBuilder()
                            .setHost(host(peer.clientAddress()))
                            .setName(peer.name())
                            .setAddress(peer.clientAddress())
                            .setReplicationAddress(membership.isReachable() ? peer.address() : "")
                            .setUp(
                                    isSelf
                                            || isLeader
                                            || (silence != null && silence.compareTo(SILENT) < 0))
                            .setLeader(isLeader));
        }
        return reply.setSelf(
                        ControllerStanding.newBuilder()
                                .setName(self.name())
                                .setRole(standing.role().name().toLowerCase(Locale.ROOT))
                                .setTerm(standing.term())
                                .setLeader(
                                        standing.leader() == null
                                                ? ""
                                                : RaftConfig.Peer.nameOf(standing.leader()))
                                .setCommitted(standing.committed())
                                .setApplied(standing.applied())
                                .setNowMicros(InstantMapper.toMicros(clock.instant()))
                                .setTrouble(trouble.get()))
                .build();
    }

    private static KnownAs knownAs(Caller caller) {
        return switch (caller) {
            case Caller.Person(var actor, _, _) ->
                    KnownAs.newBuilder()
                            .setUid(actor.uid())
                            .setUser(actor.userName())
                            .setRole(actor.role().name().toLowerCase(Locale.ROOT))
                            .build();
            case Caller.RootOfHost _, Caller.Host _, Caller.Stranger _ ->
                    KnownAs.getDefaultInstance();
        };
    }

    /// In the words of the configuration.
    public static List<String> enforced(AccountingRules rules) {
        var words = new ArrayList<String>();
        if (rules.associations()) {
            words.add("associations");
        }
        if (rules.limits()) {
            words.add("limits");
        }
        if (rules.qos()) {
            words.add("qos");
        }
        if (rules.safe()) {
            words.add("safe");
        }
        if (rules.wckeys()) {
            words.add("wckeys");
        }
        return words;
    }

    private static void putPriority(ClusterRules rules, Map<String, String> values) {
        var priority = rules.priority();
        if (!priority.multifactor()) {
            values.put("PriorityType", "priority/basic");
            return;
        }
        values.put("PriorityType", "priority/multifactor");
        values.put("PriorityDecayHalfLife", Durations.padded(rules.accounting().halfLife()));
        values.put("PriorityFavorSmall", priority.favorSmall() ? "Yes" : "No");
        values.put("PriorityMaxAge", Durations.padded(priority.maxAge()));
        values.put("PriorityUsageResetPeriod", rules.accounting().usageReset().name());
        values.put("PriorityWeightAge", Integer.toString(priority.ageWeight()));
        values.put("PriorityWeightAssoc", Integer.toString(priority.associationWeight()));
        values.put("PriorityWeightFairShare", Integer.toString(priority.fairShareWeight()));
        values.put("PriorityWeightJobSize", Integer.toString(priority.jobSizeWeight()));
        values.put("PriorityWeightPartition", Integer.toString(priority.partitionWeight()));
        values.put("PriorityWeightQOS", Integer.toString(priority.qosWeight()));
        values.put(
                "PriorityWeightTRES",
                priority.tresWeights().isEmpty()
                        ? "(null)"
                        : priority.tresWeights().entrySet().stream()
                                .map(one -> one.getKey() + "=" + one.getValue())
                                .collect(Collectors.joining(",")));
    }

    /// Under Slurm's names, and only what is true here.
    public GetConfigReply config() {
        var snapshot = state.snapshot();
        var config = settings.current();
        var rules = snapshot.config().rules();
        var values = new TreeMap<String, String>();
        var enforced = enforced(rules.accounting());
        values.put(
                "AccountingStorageEnforce",
                enforced.isEmpty() ? "none" : String.join(",", enforced));
        values.put("AccountingStorageTRES", tres());
        values.put("AccountingStorageType", "accounting_storage/none");
        values.put("AuthType", "auth/spur");
        values.put("BOOT_TIME", Timestamps.format(startedAt, ZoneOffset.UTC));
        var cloud = snapshot.config().cloud();
        if (cloud != null) { // no name of Slurm's: what hosts of the cloud must know
            values.put("CloudHomeDir", cloud.homeDirectory());
            values.put("CloudUidRange", cloud.firstUid() + "-" + cloud.lastUid());
        }
        values.put("ClusterName", snapshot.config().clusterName());
        values.put("CompleteWait", "0 sec"); // jobs that end keep no others from starting
        values.put("CredType", "cred/spur");
        values.put(
                "DefMemPerNode",
                rules.defaultMemoryPerNode() == 0
                        ? "UNLIMITED"
                        : "" + rules.defaultMemoryPerNode());
        values.put("DisableRootJobs", "No");
        values.put("EnforcePartLimits", rules.enforcePartitionLimits().name());
        values.put("FirstJobId", Integer.toString(rules.firstJobId()));
        values.put("GresTypes", gresTypes());
        values.put("InactiveLimit", "0 sec");
        values.put("JobFileAppend", "0");
        values.put("JobRequeue", rules.requeueByDefault() ? "1" : "0");
        values.put("KillWait", seconds(rules.killWait()));
        values.put("LaunchParameters", "use_interactive_step");
        values.put("LaunchType", "launch/slurm");
        values.put("MaxArraySize", Integer.toString(rules.maxArraySize()));
        values.put("MaxJobCount", Integer.toString(rules.maxJobCount()));
        values.put("MaxJobId", Integer.toString(JobId.HIGHEST_SEQUENCE));
        values.put("MaxMemPerNode", "UNLIMITED");
        values.put("MaxNodeCount", Integer.toString(snapshot.nodes().size()));
        values.put("MaxTasksPerNode", Integer.toString(Admission.MOST_TASKS_PER_NODE));
        values.put("MinJobAge", seconds(rules.minJobAge()));
        values.put("MpiDefault", "none");
        values.put("MULTIPLE_SLURMD", "Yes");
        values.put("NEXT_JOB_ID", Integer.toString(nextJobId(snapshot)));
        values.put("OverTimeLimit", "0 min");
        values.put("PreemptMode", "OFF");
        values.put("PreemptType", "preempt/none");
        values.put("PreemptExemptTime", Durations.padded(Duration.ZERO));
        putPriority(rules, values);
        values.put("PrivateData", "none");
        values.put("ProctrackType", "proctrack/cgroup");
        values.put("ReturnToService", Integer.toString(returnToService(rules)));
        values.put("SchedulerType", "sched/backfill");
        values.put("SelectType", "select/cons_tres");
        values.put("SelectTypeParameters", "CR_CORE_MEMORY");
        var members = membership.members();
        for (var i = 0; i < members.size(); i++) {
            var host = host(members.get(i).clientAddress());
            values.put("SlurmctldHost[%d]".formatted(i), "%s(%s)".formatted(host, host));
        }
        values.put("SlurmctldPort", port(membership.self().clientAddress()));
        values.put("SlurmctldTimeout", "120 sec");
        values.put("SlurmdPort", Integer.toString(config.network().agentPort()));
        values.put("SlurmdTimeout", seconds(config.controller().heartbeatTimeout()));
        values.put("SlurmdUser", "root(0)");
        values.put("SlurmUser", user(settings.clusterUid()));
        values.put("SLURM_CONF", settings.file().toString());
        values.put("SLURM_VERSION", SLURM_VERSION);
        values.put("StateSaveLocation", stateDirectory.toString());
        values.put("SwitchType", "switch/none");
        values.put("TaskPlugin", "task/cgroup,task/affinity");
        values.put("TmpFS", "/tmp");
        values.put("TopologyPlugin", "topology/none");
        values.put("TrackWCKey", "No");
        values.put("UnkillableStepTimeout", seconds(rules.completeWait()));
        NOT_THERE.forEach(key -> values.put(key, ""));
        return GetConfigReply.newBuilder()
                .putAllValues(Map.copyOf(values))
                .setCluster(snapshot.config().clusterName())
                .build();
    }

    private static int nextJobId(Snapshot snapshot) {
        var first = snapshot.config().rules().firstJobId();
        var last = snapshot.counters().jobSequence();
        return last >= JobId.HIGHEST_SEQUENCE ? first : Math.max(last + 1, first);
    }

    private static String user(long uid) {
        return "%s(%d)".formatted(Users.byUid(uid).map(User::name).orElse(Long.toString(uid)), uid);
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
