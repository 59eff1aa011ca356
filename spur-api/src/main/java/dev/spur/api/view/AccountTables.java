package dev.spur.api.view;

import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.QosLimits;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.TresView;
import dev.spur.api.v1.UserView;
import dev.spur.api.v1.WckeyView;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Who may use how much: accounts, users, what binds them, QOS, and what can be counted.
public final class AccountTables {
    private static final Map<String, String> QOS_FLAGS =
            Map.ofEntries(
                    Map.entry("DenyOnLimit", "DENY_LIMIT"),
                    Map.entry("EnforceUsageThreshold", "ENFORCE_USAGE_THRESHOLD"),
                    Map.entry("NoDecay", "NO_DECAY"),
                    Map.entry("NoReserve", "NO_RESERVE"),
                    Map.entry("OverPartQOS", "OVERRIDE_PARTITION_QOS"),
                    Map.entry("PartitionMaxNodes", "PARTITION_MAXIMUM_NODE"),
                    Map.entry("PartitionMinNodes", "PARTITION_MINIMUM_NODE"),
                    Map.entry("PartitionTimeLimit", "PARTITION_TIME_LIMIT"),
                    Map.entry("RequiresReservation", "REQUIRED_RESERVATION"),
                    Map.entry("UsageFactorSafe", "USAGE_FACTOR_SAFE"));

    /// An association, named.
    private static final EntityTable<AssociationView> NAMED =
            EntityTable.<AssociationView>of("association", "assoc_short")
                    .count("id", "id", "number", AssociationView::getId)
                    .text("account", "account", "account", AssociationView::getAccount)
                    .text("user", "user", "user", AssociationView::getUser)
                    .text("partition", "partition", "partition", AssociationView::getPartition)
                    .field("", Field.Kind.TEXT, "cluster", "", (_, out) -> out.text(out.cluster()))
                    .build();

    private static final EntityTable<String> COORDINATORS =
            EntityTable.<String>of("coordinator", "coord")
                    .text("name", "name", "name", name -> name)
                    .flag("", "direct", "", _ -> true)
                    .build();

    public static final EntityTable<WckeyView> WCKEYS =
            EntityTable.<WckeyView>of("wckey", "wckey")
                    .count("id", "id", "number", WckeyView::getId)
                    .text("name", "name", "name", WckeyView::getName)
                    .text("user", "user", "user", WckeyView::getUser)
                    .flag(
                            "default",
                            "",
                            "whether it is the user's default",
                            WckeyView::getIsDefault)
                    .field("", Field.Kind.TEXT, "cluster", "", (_, out) -> out.text(out.cluster()))
                    .build();

    /// An account with what hangs on it.
    public record Account(AccountView view, List<AssociationView> associations) {
        public Account {
            associations = List.copyOf(associations);
        }
    }

    public static final EntityTable<Account> ACCOUNTS =
            EntityTable.<Account>of("account", "account")
                    .text("name", "name", "name", account -> account.view().getName())
                    .text(
                            "description",
                            "description",
                            "what it is for",
                            account -> account.view().getDescription())
                    .text(
                            "organization",
                            "organization",
                            "whose it is",
                            account -> account.view().getOrganization())
                    .text("parent", "", "account above it", account -> account.view().getParent())
                    .words(
                            "coordinators",
                            "",
                            "who looks after it",
                            account -> account.view().getCoordinatorsList())
                    .list(
                            "",
                            "coordinators",
                            "",
                            COORDINATORS,
                            account -> List.copyOf(account.view().getCoordinatorsList()))
                    .list("", "associations", "", NAMED, Account::associations)
                    .build();

    /// A user with what hangs on him.
    public record User(UserView view, List<AssociationView> associations, List<WckeyView> wckeys) {
        public User {
            associations = List.copyOf(associations);
            wckeys = List.copyOf(wckeys);
        }
    }

    public static final EntityTable<User> USERS =
            EntityTable.<User>of("user", "user")
                    .text("name", "name", "name", user -> user.view().getName())
                    .text(
                            "default_account",
                            "default.account",
                            "account of jobs that name none",
                            user -> user.view().getDefaultAccount())
                    .text(
                            "default_wckey",
                            "default.wckey",
                            "wckey of jobs that name none",
                            user -> user.view().getDefaultWckey())
                    .text(
                            "admin_level",
                            "",
                            "None, Operator or Administrator",
                            user -> user.view().getAdminLevel())
                    .words(
                            "",
                            "administrator_level",
                            "",
                            user -> List.of(user.view().getAdminLevel()))
                    .words(
                            "coordinates",
                            "",
                            "accounts looked after",
                            user -> user.view().getCoordinatesList())
                    .list(
                            "",
                            "coordinators",
                            "",
                            COORDINATORS,
                            user -> List.copyOf(user.view().getCoordinatesList()))
                    .list("", "associations", "", NAMED, User::associations)
                    .list("", "wckeys", "", WCKEYS, User::wckeys)
                    .build();

    public static final EntityTable<AssociationView> ASSOCIATIONS = associations().build();

    public static final EntityTable<QosView> QOS = qos().build();

    public static final EntityTable<TresView> TRES =
            EntityTable.<TresView>of("tres", "tres")
                    .count("id", "id", "number", TresView::getId)
                    .text("type", "type", "cpu, mem, gres, …", TresView::getType)
                    .text("name", "name", "name", TresView::getName)
                    .build();

    /// The cluster itself.
    ///
    /// @param host of the controller that leads; empty if none does
    public record Cluster(String name, String host, long port, List<TresView> tres) {
        public Cluster {
            tres = List.copyOf(tres);
        }

        public static Cluster of(PingReply ping, List<TresView> tres) {
            for (var peer : ping.getControllersList()) {
                if (peer.getLeader()) {
                    var port = peer.getAddress().replaceFirst(".*:", "");
                    return new Cluster(
                            ping.getCluster(),
                            peer.getHost(),
                            port.matches("[0-9]{1,5}") ? Long.parseLong(port) : 0,
                            tres);
                }
            }
            return new Cluster(ping.getCluster(), "", 0, tres);
        }
    }

    public static final EntityTable<Cluster> CLUSTERS =
            EntityTable.<Cluster>of("cluster", "cluster_rec")
                    .text("name", "name", "name", Cluster::name)
                    .text("", "controller.host", "", Cluster::host)
                    .number("", "controller.port", "", Cluster::port)
                    .text("", "associations.root.account", "", _ -> "root")
                    .text("", "associations.root.cluster", "", Cluster::name)
                    .number("", "associations.root.id", "", _ -> 1)
                    .list("", "tres", "", TRES, Cluster::tres)
                    .build();

    private AccountTables() {}

    private static EntityTable.Builder<AssociationView> associations() {
        return limits(
                EntityTable.<AssociationView>of("association", "assoc")
                        .count("id", "id", "number", AssociationView::getId)
                        .text("account", "account", "account", AssociationView::getAccount)
                        .text(
                                "user",
                                "user",
                                "user; empty: the account itself",
                                AssociationView::getUser)
                        .text(
                                "partition",
                                "partition",
                                "partition; empty: all",
                                AssociationView::getPartition)
                        .field(
                                "",
                                Field.Kind.TEXT,
                                "cluster",
                                "",
                                (_, out) -> out.text(out.cluster()))
                        .text(
                                "parent",
                                "parent_account",
                                "account above it",
                                AssociationView::getParentAccount)
                        .flag(
                                "default",
                                "is_default",
                                "whether it is the user's default",
                                AssociationView::getIsDefault)
                        .text("comment", "comment", "comment", AssociationView::getComment)
                        .words("qos", "qos", "QOS it may use", AssociationView::getQosList)
                        .text(
                                "default_qos",
                                "default.qos",
                                "QOS of jobs that name none",
                                AssociationView::getDefaultQos)
                        .number(
                                "shares",
                                "shares_raw",
                                "share among those beside it",
                                association ->
                                        association.getLimits().getSharesOfParent()
                                                ? 0x7fff_ffff
                                                : association.getLimits().getShares())
                        .numberIf(
                                "priority",
                                "priority",
                                "part of its jobs' priority",
                                association -> association.getLimits().hasPriority(),
                                association -> association.getLimits().getPriority())
                        .decimal(
                                "usage",
                                "",
                                "what it used of late, in billing seconds",
                                association -> association.getUsage().getRaw())
                        .decimal(
                                "fair_share",
                                "",
                                "its fair share factor",
                                association -> association.getUsage().getFairShare())
                        .count(
                                "running",
                                "",
                                "jobs that run",
                                association -> association.getUsage().getJobs())
                        .count(
                                "submitted",
                                "",
                                "jobs that wait or run",
                                association -> association.getUsage().getSubmitted()));
    }

    private static EntityTable.Builder<AssociationView> limits(
            EntityTable.Builder<AssociationView> table) {
        bound(
                table,
                "grp_jobs",
                "max.jobs.per.count",
                "jobs that run at once, of all below",
                AssociationLimits::hasGrpJobs,
                AssociationLimits::getGrpJobs);
        bound(
                table,
                "grp_jobs_accrue",
                "max.jobs.per.accruing",
                "jobs that grow older at once, of all below",
                AssociationLimits::hasGrpJobsAccrue,
                AssociationLimits::getGrpJobsAccrue);
        bound(
                table,
                "grp_submit_jobs",
                "max.jobs.per.submitted",
                "jobs that wait or run, of all below",
                AssociationLimits::hasGrpSubmitJobs,
                AssociationLimits::getGrpSubmitJobs);
        bound(
                table,
                "grp_wall_minutes",
                "max.per.account.wall_clock",
                "minutes that jobs may run, of all below",
                AssociationLimits::hasGrpWallMinutes,
                AssociationLimits::getGrpWallMinutes);
        bound(
                table,
                "max_jobs",
                "max.jobs.active",
                "jobs that run at once, of each",
                AssociationLimits::hasMaxJobs,
                AssociationLimits::getMaxJobs);
        bound(
                table,
                "max_jobs_accrue",
                "max.jobs.accruing",
                "jobs that grow older at once, of each",
                AssociationLimits::hasMaxJobsAccrue,
                AssociationLimits::getMaxJobsAccrue);
        bound(
                table,
                "max_submit_jobs",
                "max.jobs.total",
                "jobs that wait or run, of each",
                AssociationLimits::hasMaxSubmitJobs,
                AssociationLimits::getMaxSubmitJobs);
        bound(
                table,
                "max_wall_minutes",
                "max.jobs.per.wall_clock",
                "minutes of a job",
                AssociationLimits::hasMaxWallMinutes,
                AssociationLimits::getMaxWallMinutes);
        bound(
                table,
                "min_priority_threshold",
                "min.priority_threshold",
                "priority from which jobs grow older",
                AssociationLimits::hasMinPriorityThreshold,
                AssociationLimits::getMinPriorityThreshold);
        return table.amounts(
                        "grp_tres",
                        "max.tres.total",
                        "resources at once, of all below",
                        association -> association.getLimits().getGrpTresMap())
                .amounts(
                        "grp_tres_minutes",
                        "max.tres.group.minutes",
                        "minutes of resources, of all below",
                        association -> association.getLimits().getGrpTresMinutesMap())
                .amounts(
                        "grp_tres_run_minutes",
                        "max.tres.group.active",
                        "minutes that running jobs may still use",
                        association -> association.getLimits().getGrpTresRunMinutesMap())
                .amounts(
                        "max_tres_per_job",
                        "max.tres.per.job",
                        "resources of a job",
                        association -> association.getLimits().getMaxTresPerJobMap())
                .amounts(
                        "max_tres_per_node",
                        "max.tres.per.node",
                        "resources of a job on each node",
                        association -> association.getLimits().getMaxTresPerNodeMap())
                .amounts(
                        "max_tres_minutes_per_job",
                        "max.tres.minutes.per.job",
                        "minutes of resources of a job",
                        association -> association.getLimits().getMaxTresMinutesPerJobMap());
    }

    private static void bound(
            EntityTable.Builder<AssociationView> table,
            String name,
            String slurm,
            String about,
            java.util.function.Predicate<AssociationLimits> isThere,
            java.util.function.ToIntFunction<AssociationLimits> value) {
        table.bound(
                name,
                slurm,
                about,
                association -> isThere.test(association.getLimits()),
                association -> value.applyAsInt(association.getLimits()));
    }

    private static EntityTable.Builder<QosView> qos() {
        var table =
                EntityTable.<QosView>of("qos", "qos")
                        .count("id", "id", "number", QosView::getId)
                        .text("name", "name", "name", QosView::getName)
                        .text(
                                "description",
                                "description",
                                "what it is for",
                                QosView::getDescription)
                        .count(
                                "priority",
                                "priority",
                                "part of its jobs' priority",
                                QosView::getPriority)
                        .words("flags", "", "flags", QosView::getFlagsList)
                        .words(
                                "",
                                "flags",
                                "",
                                qos ->
                                        qos.getFlagsList().stream()
                                                .map(flag -> QOS_FLAGS.getOrDefault(flag, flag))
                                                .toList())
                        .decimal(
                                "usage_factor",
                                "usage_factor,limits.factor",
                                "by which its usage counts",
                                QosView::getUsageFactor)
                        .words(
                                "preempts",
                                "preempt.list",
                                "QOS that make room for it",
                                QosView::getPreemptList)
                        .text("preempt_mode", "", "how its jobs make room", QosView::getPreemptMode)
                        .words("", "preempt.mode", "", AccountTables::preemptMode)
                        .bound(
                                "preempt_exempt_seconds",
                                "preempt.exempt_time",
                                "how long its jobs are left alone",
                                QosView::hasPreemptExemptSeconds,
                                QosView::getPreemptExemptSeconds)
                        .count(
                                "grace_seconds",
                                "limits.grace_time",
                                "time to make room",
                                QosView::getGraceSeconds);
        qosBound(
                table,
                "grp_jobs",
                "limits.max.active_jobs.count",
                "jobs that run at once",
                QosLimits::hasGrpJobs,
                QosLimits::getGrpJobs);
        qosBound(
                table,
                "grp_jobs_accrue",
                "limits.max.active_jobs.accruing",
                "jobs that grow older at once",
                QosLimits::hasGrpJobsAccrue,
                QosLimits::getGrpJobsAccrue);
        qosBound(
                table,
                "grp_submit_jobs",
                "limits.max.jobs.count",
                "jobs that wait or run",
                QosLimits::hasGrpSubmitJobs,
                QosLimits::getGrpSubmitJobs);
        qosBound(
                table,
                "grp_wall_minutes",
                "limits.max.wall_clock.per.qos",
                "minutes that its jobs may run",
                QosLimits::hasGrpWallMinutes,
                QosLimits::getGrpWallMinutes);
        qosBound(
                table,
                "max_wall_minutes",
                "limits.max.wall_clock.per.job",
                "minutes of a job",
                QosLimits::hasMaxWallMinutes,
                QosLimits::getMaxWallMinutes);
        qosBound(
                table,
                "max_jobs_per_user",
                "limits.max.jobs.active_jobs.per.user",
                "jobs of a user that run at once",
                QosLimits::hasMaxJobsPerUser,
                QosLimits::getMaxJobsPerUser);
        qosBound(
                table,
                "max_jobs_per_account",
                "limits.max.jobs.active_jobs.per.account",
                "jobs of an account that run at once",
                QosLimits::hasMaxJobsPerAccount,
                QosLimits::getMaxJobsPerAccount);
        qosBound(
                table,
                "max_submit_per_user",
                "limits.max.jobs.per.user",
                "jobs of a user that wait or run",
                QosLimits::hasMaxSubmitPerUser,
                QosLimits::getMaxSubmitPerUser);
        qosBound(
                table,
                "max_submit_per_account",
                "limits.max.jobs.per.account",
                "jobs of an account that wait or run",
                QosLimits::hasMaxSubmitPerAccount,
                QosLimits::getMaxSubmitPerAccount);
        qosBound(
                table,
                "max_jobs_accrue_per_user",
                "limits.max.accruing.per.user",
                "jobs of a user that grow older at once",
                QosLimits::hasMaxJobsAccruePerUser,
                QosLimits::getMaxJobsAccruePerUser);
        qosBound(
                table,
                "max_jobs_accrue_per_account",
                "limits.max.accruing.per.account",
                "jobs of an account that grow older at once",
                QosLimits::hasMaxJobsAccruePerAccount,
                QosLimits::getMaxJobsAccruePerAccount);
        qosBound(
                table,
                "min_priority_threshold",
                "limits.min.priority_threshold",
                "priority from which jobs grow older",
                QosLimits::hasMinPriorityThreshold,
                QosLimits::getMinPriorityThreshold);
        return table.amounts(
                        "grp_tres",
                        "limits.max.tres.total",
                        "resources at once",
                        qos -> qos.getLimits().getGrpTresMap())
                .amounts(
                        "grp_tres_minutes",
                        "limits.max.tres.minutes.total",
                        "minutes of resources",
                        qos -> qos.getLimits().getGrpTresMinutesMap())
                .amounts(
                        "grp_tres_run_minutes",
                        "limits.max.tres.minutes.per.qos",
                        "minutes that running jobs may still use",
                        qos -> qos.getLimits().getGrpTresRunMinutesMap())
                .amounts(
                        "max_tres_per_job",
                        "limits.max.tres.per.job",
                        "resources of a job",
                        qos -> qos.getLimits().getMaxTresPerJobMap())
                .amounts(
                        "max_tres_per_node",
                        "limits.max.tres.per.node",
                        "resources of a job on each node",
                        qos -> qos.getLimits().getMaxTresPerNodeMap())
                .amounts(
                        "max_tres_per_user",
                        "limits.max.tres.per.user",
                        "resources of a user",
                        qos -> qos.getLimits().getMaxTresPerUserMap())
                .amounts(
                        "max_tres_per_account",
                        "limits.max.tres.per.account",
                        "resources of an account",
                        qos -> qos.getLimits().getMaxTresPerAccountMap())
                .amounts(
                        "max_tres_minutes_per_job",
                        "limits.max.tres.minutes.per.job",
                        "minutes of resources of a job",
                        qos -> qos.getLimits().getMaxTresMinutesPerJobMap())
                .amounts(
                        "max_tres_run_minutes_per_user",
                        "limits.max.tres.minutes.per.user",
                        "minutes that running jobs of a user may still use",
                        qos -> qos.getLimits().getMaxTresRunMinutesPerUserMap())
                .amounts(
                        "max_tres_run_minutes_per_account",
                        "limits.max.tres.minutes.per.account",
                        "minutes that running jobs of an account may still use",
                        qos -> qos.getLimits().getMaxTresRunMinutesPerAccountMap())
                .amounts(
                        "min_tres_per_job",
                        "limits.min.tres.per.job",
                        "least resources of a job",
                        qos -> qos.getLimits().getMinTresPerJobMap());
    }

    private static void qosBound(
            EntityTable.Builder<QosView> table,
            String name,
            String slurm,
            String about,
            java.util.function.Predicate<QosLimits> isThere,
            java.util.function.ToIntFunction<QosLimits> value) {
        table.bound(
                name,
                slurm,
                about,
                qos -> isThere.test(qos.getLimits()),
                qos -> value.applyAsInt(qos.getLimits()));
    }

    private static List<String> preemptMode(QosView qos) {
        var mode = qos.getPreemptMode().toUpperCase(Locale.ROOT);
        return mode.isEmpty() || mode.equals("CLUSTER") ? List.of() : List.of(mode);
    }
}
