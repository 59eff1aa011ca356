package dev.spur.controller.accounting;

import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.QosLimits;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.UserView;
import dev.spur.api.v1.WckeyView;
import dev.spur.engine.account.Account;
import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.Association;
import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.Limits;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.account.User;
import dev.spur.engine.account.Wckey;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.Role;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// What of the state is shown, in the words of the contract.
public final class AccountViews {
    private final Accounts accounts;
    private final TresRegistry registry;

    private final @Nullable UsageViews usage;

    public AccountViews(Accounts accounts, TresRegistry registry) {
        this(accounts, registry, null);
    }

    private AccountViews(Accounts accounts, TresRegistry registry, @Nullable UsageViews usage) {
        this.accounts = accounts;
        this.registry = registry;
        this.usage = usage;
    }

    /// With what was used, what is in use, and who is due what.
    public static AccountViews withUsage(UsageViews usage) {
        var of = usage.snapshot();
        return new AccountViews(of.accounts(), of.tres(), usage);
    }

    public AccountView view(Account account) {
        return AccountView.newBuilder()
                .setName(account.name())
                .setDescription(account.description())
                .setOrganization(account.organization())
                .setParent(parentOf(account.name()))
                .addAllCoordinators(account.coordinators())
                .build();
    }

    private String parentOf(String account) {
        return accounts.association(account)
                .map(one -> accounts.associations().get(one.parent()))
                .map(Association::account)
                .orElse("");
    }

    public UserView view(User user) {
        return UserView.newBuilder()
                .setName(user.name())
                .setDefaultAccount(user.defaultAccount())
                .setDefaultWckey(user.defaultWckey())
                .setAdminLevel(adminLevel(user.adminLevel()))
                .addAllCoordinates(accounts.coordinatedBy(user.name()))
                .build();
    }

    private static String adminLevel(Role role) {
        return switch (role) {
            case USER -> "None";
            case OPERATOR -> "Operator";
            case ADMIN -> "Administrator";
        };
    }

    public WckeyView view(Wckey wckey) {
        var user = accounts.users().get(wckey.user());
        return WckeyView.newBuilder()
                .setId(wckey.id())
                .setName(wckey.name())
                .setUser(wckey.user())
                .setIsDefault(user != null && user.defaultWckey().equals(wckey.name()))
                .build();
    }

    public AssociationView view(Association one) {
        var user = accounts.users().get(one.user());
        var view = AssociationView.newBuilder();
        if (usage != null) {
            view.setUsage(usage.of(one));
        }
        return view.setId(one.id())
                .setAccount(one.account())
                .setUser(one.user())
                .setPartition(one.partition())
                .setParentId(one.parent())
                .setParentAccount(one.isUser() ? "" : parentOf(one.account()))
                .setIsDefault(user != null && user.defaultAccount().equals(one.account()))
                .setLimits(limits(one))
                .addAllQos(names(accounts.qosInForce(one.id())))
                .setDefaultQos(name(accounts.defaultQosInForce(one.id())))
                .addAllOwnQos(names(one.qos()))
                .setComment(one.comment())
                .build();
    }

    private List<String> names(List<Integer> qos) {
        return qos.stream().map(this::name).filter(name -> !name.isEmpty()).sorted().toList();
    }

    private String name(int qos) {
        var known = accounts.qos().get(qos);
        return known == null ? "" : known.name();
    }

    private AssociationLimits limits(Association one) {
        var limits = one.limits();
        var view =
                AssociationLimits.newBuilder()
                        .setShares(one.shares().count())
                        .setSharesOfParent(one.shares().ofParent());
        if (one.priority() != null) {
            view.setPriority(one.priority());
        }
        set(limits, CountLimit.GRP_JOBS, view::setGrpJobs);
        set(limits, CountLimit.GRP_JOBS_ACCRUE, view::setGrpJobsAccrue);
        set(limits, CountLimit.GRP_SUBMIT_JOBS, view::setGrpSubmitJobs);
        set(limits, CountLimit.GRP_WALL, view::setGrpWallMinutes);
        set(limits, CountLimit.MAX_JOBS, view::setMaxJobs);
        set(limits, CountLimit.MAX_JOBS_ACCRUE, view::setMaxJobsAccrue);
        set(limits, CountLimit.MAX_SUBMIT_JOBS, view::setMaxSubmitJobs);
        set(limits, CountLimit.MAX_WALL, view::setMaxWallMinutes);
        set(limits, CountLimit.MIN_PRIORITY_THRESHOLD, view::setMinPriorityThreshold);
        return view.putAllGrpTres(amounts(limits, TresLimit.GRP))
                .putAllGrpTresMinutes(amounts(limits, TresLimit.GRP_MINUTES))
                .putAllGrpTresRunMinutes(amounts(limits, TresLimit.GRP_RUN_MINUTES))
                .putAllMaxTresPerJob(amounts(limits, TresLimit.MAX_PER_JOB))
                .putAllMaxTresPerNode(amounts(limits, TresLimit.MAX_PER_NODE))
                .putAllMaxTresMinutesPerJob(amounts(limits, TresLimit.MAX_MINUTES_PER_JOB))
                .build();
    }

    public QosView view(Qos qos) {
        var view =
                QosView.newBuilder()
                        .setId(qos.id())
                        .setName(qos.name())
                        .setDescription(qos.description())
                        .setPriority(qos.priority())
                        .addAllFlags(qos.flags().stream().map(QosFlag::word).toList())
                        .setUsageFactor(qos.usageFactor())
                        .addAllPreempt(names(qos.preempt()))
                        .setPreemptMode(qos.preemptMode().isEmpty() ? "cluster" : qos.preemptMode())
                        .setGraceSeconds(qos.graceSeconds())
                        .setLimits(qosLimits(qos.limits()));
        if (usage != null) {
            view.setUsage(usage.of(qos));
        }
        if (qos.usageThreshold() != null) {
            view.setUsageThreshold(qos.usageThreshold());
        }
        if (qos.preemptExemptSeconds() != null) {
            view.setPreemptExemptSeconds(qos.preemptExemptSeconds());
        }
        return view.build();
    }

    private QosLimits qosLimits(Limits limits) {
        var view = QosLimits.newBuilder();
        set(limits, CountLimit.GRP_JOBS, view::setGrpJobs);
        set(limits, CountLimit.GRP_JOBS_ACCRUE, view::setGrpJobsAccrue);
        set(limits, CountLimit.GRP_SUBMIT_JOBS, view::setGrpSubmitJobs);
        set(limits, CountLimit.GRP_WALL, view::setGrpWallMinutes);
        set(limits, CountLimit.MAX_JOBS_PER_USER, view::setMaxJobsPerUser);
        set(limits, CountLimit.MAX_JOBS_PER_ACCOUNT, view::setMaxJobsPerAccount);
        set(limits, CountLimit.MAX_SUBMIT_PER_USER, view::setMaxSubmitPerUser);
        set(limits, CountLimit.MAX_SUBMIT_PER_ACCOUNT, view::setMaxSubmitPerAccount);
        set(limits, CountLimit.MAX_JOBS_ACCRUE_PER_USER, view::setMaxJobsAccruePerUser);
        set(limits, CountLimit.MAX_JOBS_ACCRUE_PER_ACCOUNT, view::setMaxJobsAccruePerAccount);
        set(limits, CountLimit.MAX_WALL, view::setMaxWallMinutes);
        set(limits, CountLimit.MIN_PRIORITY_THRESHOLD, view::setMinPriorityThreshold);
        return view.putAllGrpTres(amounts(limits, TresLimit.GRP))
                .putAllGrpTresMinutes(amounts(limits, TresLimit.GRP_MINUTES))
                .putAllGrpTresRunMinutes(amounts(limits, TresLimit.GRP_RUN_MINUTES))
                .putAllMaxTresPerJob(amounts(limits, TresLimit.MAX_PER_JOB))
                .putAllMaxTresPerNode(amounts(limits, TresLimit.MAX_PER_NODE))
                .putAllMaxTresMinutesPerJob(amounts(limits, TresLimit.MAX_MINUTES_PER_JOB))
                .putAllMaxTresPerUser(amounts(limits, TresLimit.MAX_PER_USER))
                .putAllMaxTresPerAccount(amounts(limits, TresLimit.MAX_PER_ACCOUNT))
                .putAllMinTresPerJob(amounts(limits, TresLimit.MIN_PER_JOB))
                .putAllMaxTresRunMinutesPerUser(amounts(limits, TresLimit.MAX_RUN_MINUTES_PER_USER))
                .putAllMaxTresRunMinutesPerAccount(
                        amounts(limits, TresLimit.MAX_RUN_MINUTES_PER_ACCOUNT))
                .build();
    }

    private static void set(Limits limits, CountLimit limit, IntConsumer setter) {
        var value = limits.count(limit);
        if (value != null) {
            setter.accept(Objects.requireNonNull(value));
        }
    }

    private Map<String, Long> amounts(Limits limits, TresLimit limit) {
        return TresNames.named(limits.amounts(limit), registry);
    }
}
