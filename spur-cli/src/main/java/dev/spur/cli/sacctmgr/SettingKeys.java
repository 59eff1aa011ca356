package dev.spur.cli.sacctmgr;

import static dev.spur.cli.sacctmgr.Keys.key;

import dev.spur.api.v1.Setting;
import dev.spur.cli.options.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What can be set, by sacctmgr's names. What the values mean is the controller's to say.
final class SettingKeys {
    private static final List<Keys.Key> OF_ASSOCIATION =
            List.of(
                    key("Comment", "comment"),
                    key("DefaultQOS", "defaultqos"),
                    key("Fairshare", "fairshare", "shares"),
                    key("GrpTRESMins", "grptresmins", "grptresminutes"),
                    key("GrpTRESRunMins", "grptresrunmins", "grptresrunminutes"),
                    key("GrpTRES", "grptres"),
                    key("GrpCPUs", "grpcpus"),
                    key("GrpCPUMins", "grpcpumins"),
                    key("GrpCPURunMins", "grpcpurunmins"),
                    key("GrpJobs", "grpjobs"),
                    key("GrpJobsAccrue", "grpjobsaccrue"),
                    key("GrpMemory", "grpmemory"),
                    key("GrpNodes", "grpnodes"),
                    key("GrpSubmitJobs", "grpsubmitjobs"),
                    key("GrpWall", "grpwall"),
                    key("MaxTRESMins", "maxtresmins", "maxtresminsperjob"),
                    key("MaxTRES", "maxtres", "maxtresperjob", "maxtrespj"),
                    key("MaxTRESPerNode", "maxtrespernode", "maxtrespn"),
                    key("MaxCPUs", "maxcpus", "maxcpusperjob"),
                    key("MaxCPUMins", "maxcpumins", "maxcpuminsperjob"),
                    key("MaxJobs", "maxjobs"),
                    key("MaxJobsAccrue", "maxjobsaccrue"),
                    key("MaxNodes", "maxnodes", "maxnodesperjob"),
                    key("MaxSubmitJobs", "maxsubmitjobs"),
                    key("MaxWall", "maxwall", "maxwalldurationperjob", "maxwallpj"),
                    key("MinPrioThresh", "minpriothresh", "minpriothreshold"),
                    key("Parent", "parent"),
                    key("Priority", "priority"),
                    key("QOS", "qos", "qoslevel"),
                    key("RawUsage", "rawusage"));

    /// Settings that those below have, too, unless they have their own.
    private static final Set<String> INHERITED =
            Set.of(
                    "defaultqos",
                    "maxcpumins",
                    "maxcpus",
                    "maxjobs",
                    "maxjobsaccrue",
                    "maxnodes",
                    "maxsubmitjobs",
                    "maxtres",
                    "maxtresmins",
                    "maxtrespernode",
                    "maxwall",
                    "minpriothresh",
                    "qos");

    private static final Set<String> OF_THE_ACCOUNT = Set.of("description", "organization");
    private static final Set<String> OF_THE_USER =
            Set.of("adminlevel", "defaultaccount", "defaultwckey");

    static final Keys ASSOCIATION = new Keys(OF_ASSOCIATION);
    static final Keys ACCOUNT =
            with(key("Description", "description"), key("Organization", "organization"));
    static final Keys USER =
            with(
                    key("Admin Level", "adminlevel"),
                    key("Default Account", "defaultaccount", "defaultacct"),
                    key("Default WCKey", "defaultwckey"));
    static final Keys QOS =
            new Keys(
                    List.of(
                            key("Description", "description"),
                            key("Flags", "flags"),
                            key("GraceTime", "gracetime"),
                            key("GrpTRESMins", "grptresmins", "grptresminutes"),
                            key("GrpTRESRunMins", "grptresrunmins", "grptresrunminutes"),
                            key("GrpTRES", "grptres"),
                            key("GrpCPUs", "grpcpus"),
                            key("GrpCPUMins", "grpcpumins"),
                            key("GrpCPURunMins", "grpcpurunmins"),
                            key("GrpJobs", "grpjobs"),
                            key("GrpJobsAccrue", "grpjobsaccrue"),
                            key("GrpMemory", "grpmemory"),
                            key("GrpNodes", "grpnodes"),
                            key("GrpSubmitJobs", "grpsubmitjobs"),
                            key("GrpWall", "grpwall"),
                            key("MaxTRESMins", "maxtresmins", "maxtresminsperjob"),
                            key("MaxTRES", "maxtres", "maxtresperjob", "maxtrespj"),
                            key("MaxTRESPerNode", "maxtrespernode", "maxtrespn"),
                            key("MaxTRESPerUser", "maxtresperuser", "maxtrespu"),
                            key("MaxTRESPerAcct", "maxtresperaccount", "maxtrespa"),
                            key(
                                    "MaxTRESRunMinsPU",
                                    "maxtresrunminsperuser",
                                    "maxtresrunminspu",
                                    "maxtresrunmins"),
                            key("MaxTRESRunMinsPA", "maxtresrunminsperaccount", "maxtresrunminspa"),
                            key("MaxCPUs", "maxcpus", "maxcpusperjob"),
                            key("MaxCPUMins", "maxcpumins", "maxcpuminsperjob"),
                            key("MaxCPUsPerUser", "maxcpusperuser", "maxcpuspu"),
                            key("MaxJobsPerUser", "maxjobsperuser", "maxjobspu", "maxjobs"),
                            key("MaxJobsPerAcct", "maxjobsperaccount", "maxjobspa"),
                            key("MaxJobsAccruePU", "maxjobsaccrueperuser", "maxjobsaccruepu"),
                            key("MaxJobsAccruePA", "maxjobsaccrueperaccount", "maxjobsaccruepa"),
                            key("MaxNodes", "maxnodes", "maxnodesperjob"),
                            key("MaxNodesPerUser", "maxnodesperuser", "maxnodespu"),
                            key(
                                    "MaxSubmitJobsPU",
                                    "maxsubmitjobsperuser",
                                    "maxsubmitjobspu",
                                    "maxsubmitpu",
                                    "maxsubmitjobs"),
                            key(
                                    "MaxSubmitJobsPA",
                                    "maxsubmitjobsperaccount",
                                    "maxsubmitjobspa",
                                    "maxsubmitpa"),
                            key("MaxWall", "maxwall", "maxwalldurationperjob", "maxwallpj"),
                            key("MinTRES", "mintres", "mintresperjob"),
                            key("MinCPUs", "mincpus", "mincpusperjob"),
                            key("MinNodes", "minnodes", "minnodesperjob"),
                            key("MinPrioThresh", "minpriothresh", "minpriothreshold"),
                            key("Preempt", "preempt"),
                            key("PreemptMode", "preemptmode"),
                            key("PreemptExemptTime", "preemptexempttime"),
                            key("Priority", "priority"),
                            key("RawUsage", "rawusage"),
                            key("UsageFactor", "usagefactor"),
                            key("UsageThreshold", "usagethreshold", "usagethres")));

    private SettingKeys() {}

    private static Keys with(Keys.Key... own) {
        var all = new ArrayList<>(List.of(own));
        all.addAll(OF_ASSOCIATION);
        return new Keys(all);
    }

    static Keys of(Entity entity) {
        return switch (entity) {
            case ACCOUNT -> ACCOUNT;
            case USER -> USER;
            case QOS -> QOS;
            case ASSOCIATION,
                    CLUSTER,
                    CONFIGURATION,
                    COORDINATOR,
                    EVENT,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES,
                    WCKEY ->
                    ASSOCIATION;
        };
    }

    /// The settings that the words stand for.
    static List<Setting> read(Keys keys, List<Word> words) {
        return words.stream()
                .map(word ->
                        keys.find(word.key())
                                .map(key ->
                                        Setting.newBuilder()
                                                .setKey(key.name())
                                                .setOperator(word.operator())
                                                .setValue(word.value())
                                                .build())
                                .orElseThrow(() -> unknown(word)))
                .toList();
    }

    static Refusal unknown(Word word) {
        return new Refusal(
                1,
                " Unknown option: %s\n Use keyword 'where' to modify condition"
                        .formatted(
                                word.hasKey()
                                        ? word.key() + word.operator() + word.value()
                                        : word.value()));
    }

    /// Whether it belongs to an association, not to its account or user.
    static boolean isOfAssociation(Setting setting) {
        return !isOfItself(setting);
    }

    /// Whether it belongs to the account or the user as such.
    static boolean isOfItself(Setting setting) {
        return OF_THE_ACCOUNT.contains(setting.getKey()) || OF_THE_USER.contains(setting.getKey());
    }

    static boolean isInherited(Setting setting) {
        return INHERITED.contains(setting.getKey());
    }
}
