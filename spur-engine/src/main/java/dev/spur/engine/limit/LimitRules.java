package dev.spur.engine.limit;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.Limits;
import dev.spur.engine.account.PastUsage;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.job.Charge;
import dev.spur.engine.site.Site;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.AccountingRules;
import dev.spur.model.PendingReason;
import dev.spur.model.Placement;
import dev.spur.model.Reason;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Whether the limits of associations and QOS let a job start or enter beside what is in use, and
/// Slurm's word for the first that does not.
///
/// The order is Slurm's: the QOS of the partition, the job's QOS (the other way round if that has
/// `OverPartQOS`), then the association and all above it. What one of them limits, those behind it
/// do not limit again.
public final class LimitRules {
    private final Site site;
    private final Accounts accounts;
    private final AccountingRules rules;
    private final Budgets inUse;
    private final Instant now;
    private final double fading;

    public LimitRules(Site site, Budgets inUse, Instant now) {
        this.site = site;
        this.inUse = inUse;
        this.now = now;
        accounts = site.accounts();
        rules = site.config().rules().accounting();
        fading = UsageBook.fading(site.usage().countedAt(), now, rules);
    }

    /// What is to be checked.
    ///
    /// @param placement missing before it is known: then it is what the job asks for at least
    public record Candidate(
            Charge charge,
            String user,
            TresVector amounts,
            @Nullable Placement placement,
            TimeLimit limit) {}

    /// Whether anything is limited at all.
    public boolean areEnforced() {
        return rules.limits();
    }

    /// Why it may not start now; null if it may.
    public @Nullable Reason toStart(Candidate job) {
        return rules.limits() ? new Check(job, false, 1).obstacle() : null;
    }

    /// Why it may not enter; null if it may. How many jobs there may be is always refused; what a
    /// job is too large for, only where its QOS says so (`DenyOnLimit`) or it has none.
    ///
    /// @param tasks how many jobs it is
    public @Nullable Reason toEnter(Candidate job, int tasks) {
        return rules.limits() ? new Check(job, true, tasks).obstacle() : null;
    }

    /// Whether waiting jobs of this QOS keep nothing free for themselves.
    public boolean reservesNothing(Charge charge) {
        var qos = accounts.qos().get(charge.qos());
        return qos != null && qos.has(QosFlag.NO_RESERVE);
    }

    private final class Check {
        private final Candidate job;
        private final Charge charge;
        private final boolean isEntering;
        private final int tasks;
        private final List<Qos> qualities = new ArrayList<>(2);
        private final Set<Object> limited = new HashSet<>();

        Check(Candidate job, boolean isEntering, int tasks) {
            this.job = job;
            charge = job.charge();
            this.isEntering = isEntering;
            this.tasks = tasks;
            var own = accounts.qos().get(charge.qos());
            var partitions = accounts.qos().get(charge.partitionQos());
            var ownFirst = own != null && own.has(QosFlag.OVER_PART_QOS);
            add(ownFirst ? own : partitions);
            add(ownFirst ? partitions : own);
        }

        private void add(@Nullable Qos qos) {
            if (qos != null && !qualities.contains(qos)) {
                qualities.add(qos);
            }
        }

        @Nullable Reason obstacle() {
            for (var qos : qualities) {
                var reason = isEntering ? entering(qos) : starting(qos);
                if (reason != null) {
                    return reason;
                }
            }
            return isEntering ? enteringAssociation() : startingAssociation();
        }

        /// The first that limits this is the one that counts.
        private boolean isFirst(Object limit) {
            return limited.add(limit);
        }

        private @Nullable Reason starting(Qos qos) {
            var limits = qos.limits();
            var threshold = qos.usageThreshold();
            if (threshold != null
                    && qos.has(QosFlag.ENFORCE_USAGE_THRESHOLD)
                    && site.fairShare().of(charge.association()).factor() < threshold) {
                return qos("UsageThreshold");
            }
            if (limits.isEmpty()) {
                return null;
            }
            var all = inUse.ofQos(qos.id());
            var ofUser = inUse.ofUser(qos.id(), job.user());
            var ofAccount = inUse.ofAccount(qos.id(), charge.account());
            if (reaches(limits, CountLimit.GRP_JOBS, all.running())) {
                return qos("GrpJobsLimit");
            }
            if (reaches(limits, CountLimit.GRP_WALL, past(site.usage().ofQos(qos.id()), qos))) {
                return qos("GrpWallLimit");
            }
            if (reaches(limits, CountLimit.MAX_JOBS_PER_ACCOUNT, ofAccount.running())) {
                return account("JobsPerAccount");
            }
            if (reaches(limits, CountLimit.MAX_JOBS_PER_USER, ofUser.running())) {
                return qos("MaxJobsPerUserLimit");
            }
            if (isTooLong(limits)) {
                return qos("MaxWallDurationPerJobLimit");
            }
            var faded = qos.has(QosFlag.NO_DECAY) ? 1 : fading;
            var group =
                    group(
                            limits,
                            all,
                            site.usage().ofQos(qos.id()),
                            faded,
                            PendingReason.QOS_LIMIT);
            if (group != null) {
                return group;
            }
            var single = perJob(limits, PendingReason.QOS_LIMIT);
            if (single != null) {
                return single;
            }
            var id = beyond(limits, TresLimit.MAX_PER_ACCOUNT, ofAccount.amounts());
            if (id != 0) {
                return account(LimitWords.of(id, site.tres()) + "PerAccount");
            }
            id = beyond(limits, TresLimit.MAX_PER_USER, ofUser.amounts());
            if (id != 0) {
                return qos("Max" + LimitWords.perUser(id, site.tres()));
            }
            id = runMinutesBeyond(limits, TresLimit.MAX_RUN_MINUTES_PER_ACCOUNT, ofAccount);
            if (id != 0) {
                return account(LimitWords.minutes(id, site.tres(), "Run") + "PerAccount");
            }
            id = runMinutesBeyond(limits, TresLimit.MAX_RUN_MINUTES_PER_USER, ofUser);
            return id == 0
                    ? null
                    : qos("Max" + LimitWords.minutes(id, site.tres(), "Run") + "PerUser");
        }

        private @Nullable Reason startingAssociation() {
            if (charge.association() == 0) {
                return null;
            }
            for (var one : accounts.groupsOf(charge.association())) {
                var limits = one.limits();
                var use = inUse.ofAssociation(one.id());
                var usage = site.usage().ofAssociation(one.id());
                if (reachesEach(limits, CountLimit.GRP_JOBS, use.running())) {
                    return association("GrpJobsLimit");
                }
                if (reachesEach(limits, CountLimit.GRP_WALL, usage.wallSeconds() * fading / 60)) {
                    return association("GrpWallLimit");
                }
                var group = group(limits, use, usage, fading, PendingReason.ASSOCIATION_LIMIT);
                if (group != null) {
                    return group;
                }
            }
            var limits = accounts.limitsInForce(charge.association());
            if (limits.isEmpty()) {
                return null;
            }
            var isCounted =
                    limited.contains(CountLimit.MAX_JOBS_PER_USER)
                            || limited.contains(CountLimit.MAX_JOBS_PER_ACCOUNT);
            var own = inUse.ofAssociation(charge.association());
            if (!isCounted && reaches(limits, CountLimit.MAX_JOBS, own.running())) {
                return association("MaxJobsLimit");
            }
            if (isTooLong(limits)) {
                return association("MaxWallDurationPerJobLimit");
            }
            return perJob(limits, PendingReason.ASSOCIATION_LIMIT);
        }

        private @Nullable Reason entering(Qos qos) {
            var limits = qos.limits();
            if (limits.isEmpty()) {
                return null;
            }
            var all = inUse.ofQos(qos.id()).submitted() + tasks - 1;
            var ofUser = inUse.ofUser(qos.id(), job.user()).submitted() + tasks - 1;
            var ofAccount = inUse.ofAccount(qos.id(), charge.account()).submitted() + tasks - 1;
            if (reaches(limits, CountLimit.GRP_SUBMIT_JOBS, all)) {
                return qos("GrpSubmitJobsLimit");
            }
            if (reaches(limits, CountLimit.MAX_SUBMIT_PER_ACCOUNT, ofAccount)) {
                return account("SubmitJobsPerAccount");
            }
            if (reaches(limits, CountLimit.MAX_SUBMIT_PER_USER, ofUser)) {
                return qos("MaxSubmitJobPerUserLimit");
            }
            return qos.has(QosFlag.DENY_ON_LIMIT)
                    ? tooLargeForever(limits, PendingReason.QOS_LIMIT)
                    : null;
        }

        private @Nullable Reason enteringAssociation() {
            if (charge.association() == 0) {
                return null;
            }
            var isStrict =
                    qualities.isEmpty()
                            || qualities.stream().anyMatch(qos -> qos.has(QosFlag.DENY_ON_LIMIT));
            for (var one : accounts.groupsOf(charge.association())) {
                var submitted = inUse.ofAssociation(one.id()).submitted() + tasks - 1;
                if (reachesEach(one.limits(), CountLimit.GRP_SUBMIT_JOBS, submitted)) {
                    return association("GrpSubmitJobsLimit");
                }
            }
            var limits = accounts.limitsInForce(charge.association());
            var submitted = inUse.ofAssociation(charge.association()).submitted() + tasks - 1;
            var isCounted =
                    limited.contains(CountLimit.MAX_SUBMIT_PER_USER)
                            || limited.contains(CountLimit.MAX_SUBMIT_PER_ACCOUNT);
            if (!isCounted && reaches(limits, CountLimit.MAX_SUBMIT_JOBS, submitted)) {
                return association("MaxSubmitJobLimit");
            }
            if (!isStrict) {
                return null;
            }
            for (var one : accounts.groupsOf(charge.association())) {
                var reason = tooLargeForever(one.limits(), PendingReason.ASSOCIATION_LIMIT);
                if (reason != null) {
                    return reason;
                }
            }
            return tooLargeForever(limits, PendingReason.ASSOCIATION_LIMIT);
        }

        /// What no end of another job changes.
        private @Nullable Reason tooLargeForever(Limits limits, PendingReason code) {
            if (isTooLong(limits)) {
                return reason(code, "MaxWallDurationPerJobLimit");
            }
            for (var limit : limits.amounts(TresLimit.GRP).byNumber().entrySet()) {
                if (job.amounts().get(limit.getKey()) > limit.getValue()) {
                    return reason(code, "Grp" + LimitWords.group(limit.getKey(), site.tres()));
                }
            }
            return perJob(limits, code);
        }

        private double past(PastUsage usage, Qos qos) {
            return usage.wallSeconds() * (qos.has(QosFlag.NO_DECAY) ? 1 : fading) / 60;
        }

        private boolean reaches(Limits limits, CountLimit limit, double used) {
            var most = limits.count(limit);
            return most != null && isFirst(limit) && used >= most;
        }

        /// On each level of the tree, unless a QOS has it.
        private boolean reachesEach(Limits limits, CountLimit limit, double used) {
            var most = limits.count(limit);
            return most != null && !limited.contains(limit) && used >= most;
        }

        private boolean isTooLong(Limits limits) {
            var most = limits.count(CountLimit.MAX_WALL);
            return most != null
                    && isFirst(CountLimit.MAX_WALL)
                    && !(job.limit() instanceof TimeLimit.Limited(var minutes) && minutes <= most);
        }

        private @Nullable Reason group(
                Limits limits, InUse use, PastUsage usage, double faded, PendingReason code) {
            var isQos = code == PendingReason.QOS_LIMIT;
            for (var limit : limits.amounts(TresLimit.GRP_MINUTES).byNumber().entrySet()) {
                int id = limit.getKey();
                if (isSkipped(TresLimit.GRP_MINUTES, id, isQos)) {
                    continue;
                }
                var used = usage.minutes(id) * faded;
                // Whoever counts on the minutes until the end counts those that run, too.
                var coming =
                        rules.safe()
                                ? use.runSeconds(id, now) / 60.0 + minutes(id) * factorAhead()
                                : 0;
                var isOver =
                        rules.safe()
                                ? used + coming > limit.getValue()
                                : used >= limit.getValue() && job.amounts().get(id) > 0;
                if (isOver) {
                    return reason(code, "Grp" + LimitWords.minutes(id, site.tres(), ""));
                }
            }
            for (var limit : limits.amounts(TresLimit.GRP_RUN_MINUTES).byNumber().entrySet()) {
                int id = limit.getKey();
                if (!isSkipped(TresLimit.GRP_RUN_MINUTES, id, isQos)
                        && use.runSeconds(id, now) / 60.0 + minutes(id) > limit.getValue()) {
                    return reason(code, "Grp" + LimitWords.minutes(id, site.tres(), "Run"));
                }
            }
            for (var limit : limits.amounts(TresLimit.GRP).byNumber().entrySet()) {
                int id = limit.getKey();
                var wanted = job.amounts().get(id);
                if (wanted > 0
                        && !isSkipped(TresLimit.GRP, id, isQos)
                        && use.amounts().get(id) + wanted > limit.getValue()) {
                    return reason(code, "Grp" + LimitWords.group(id, site.tres()));
                }
            }
            return null;
        }

        /// `UsageFactorSafe`: what is still to come counts as what was used does.
        private double factorAhead() {
            var own = accounts.qos().get(charge.qos());
            return own != null && own.has(QosFlag.USAGE_FACTOR_SAFE) ? own.usageFactor() : 1;
        }

        private record Limited(TresLimit limit, int id) {}

        /// A QOS takes the place of those behind it; the levels of the tree count all.
        private boolean isSkipped(TresLimit limit, int id, boolean isQos) {
            var key = new Limited(limit, id);
            return isQos ? !limited.add(key) : limited.contains(key);
        }

        private @Nullable Reason perJob(Limits limits, PendingReason code) {
            for (var limit : limits.amounts(TresLimit.MAX_MINUTES_PER_JOB).byNumber().entrySet()) {
                int id = limit.getKey();
                if (isFirst(new Limited(TresLimit.MAX_MINUTES_PER_JOB, id))
                        && minutes(id) > limit.getValue()) {
                    return reason(code, "Max" + LimitWords.minutesPerJob(id, site.tres()));
                }
            }
            var id = beyond(limits, TresLimit.MAX_PER_JOB, TresVector.ZERO);
            if (id != 0) {
                return reason(code, "Max" + LimitWords.perJob(id, site.tres(), code));
            }
            var perNode = limits.amounts(TresLimit.MAX_PER_NODE).byNumber();
            if (!perNode.isEmpty() && job.placement() != null) {
                var most = JobAmounts.mostOfANode(job.placement(), site);
                for (var limit : perNode.entrySet()) {
                    if (isFirst(new Limited(TresLimit.MAX_PER_NODE, limit.getKey()))
                            && most.get(limit.getKey()) > limit.getValue()) {
                        return reason(
                                code,
                                "Max" + LimitWords.of(limit.getKey(), site.tres()) + "PerNode");
                    }
                }
            }
            for (var limit : limits.amounts(TresLimit.MIN_PER_JOB).byNumber().entrySet()) {
                if (isFirst(new Limited(TresLimit.MIN_PER_JOB, limit.getKey()))
                        && job.amounts().get(limit.getKey()) < limit.getValue()) {
                    return reason(code, LimitWords.tooLittle(limit.getKey(), site.tres()));
                }
            }
            return null;
        }

        /// The first resource of which there would be too much; 0 if of none.
        private int beyond(Limits limits, TresLimit limit, TresVector used) {
            for (var most : limits.amounts(limit).byNumber().entrySet()) {
                int id = most.getKey();
                var wanted = job.amounts().get(id);
                if (wanted > 0
                        && isFirst(new Limited(limit, id))
                        && used.get(id) + wanted > most.getValue()) {
                    return id;
                }
            }
            return 0;
        }

        private int runMinutesBeyond(Limits limits, TresLimit limit, InUse use) {
            for (var most : limits.amounts(limit).byNumber().entrySet()) {
                int id = most.getKey();
                if (isFirst(new Limited(limit, id))
                        && use.runSeconds(id, now) / 60.0 + minutes(id) > most.getValue()) {
                    return id;
                }
            }
            return 0;
        }

        /// Which the job would use until its limit.
        private double minutes(int id) {
            var wanted = job.amounts().get(id);
            return wanted == 0
                    ? 0
                    : job.limit() instanceof TimeLimit.Limited(var minutes)
                            ? (double) wanted * minutes
                            : Double.POSITIVE_INFINITY;
        }

        private static Reason qos(String what) {
            return reason(PendingReason.QOS_LIMIT, what);
        }

        private static Reason account(String what) {
            return reason(PendingReason.ACCOUNT_LIMIT, what);
        }

        private static Reason association(String what) {
            return reason(PendingReason.ASSOCIATION_LIMIT, what);
        }

        private static Reason reason(PendingReason code, String what) {
            return new Reason(code, what);
        }
    }
}
