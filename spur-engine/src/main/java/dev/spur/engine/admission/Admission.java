package dev.spur.engine.admission;

import dev.spur.engine.job.Deadline;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.Site;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Admits or refuses a job.
public final class Admission {
    /// Nobody may ask for more tasks on a node.
    public static final int MOST_TASKS_PER_NODE = DemandReader.MOST_PER_NODE;

    private final Site site;
    private final Actor actor;
    private final JobSpec spec;
    private final @Nullable JobSpec former;
    private final Instant now;
    private final ChargeReader charges;

    private Admission(Site site, Actor actor, JobSpec spec, @Nullable JobSpec former, Instant now) {
        this.site = site;
        this.actor = actor;
        this.spec = spec;
        this.former = former;
        this.now = now;
        charges = new ChargeReader(site, actor, spec);
    }

    public sealed interface Answer {}

    /// What the job will be in the queue.
    ///
    /// @param tasks missing if the job is no array
    public record Admitted(JobTerms terms, @Nullable ArraySpec tasks, List<String> warnings)
            implements Answer {
        public Admitted {
            warnings = List.copyOf(warnings);
        }
    }

    /// Why it may not enter.
    ///
    /// @param message what to show beside the code's own text
    public record Refused(ErrorCode code, String message) implements Answer {}

    /// Carries a refusal out of the checks; never leaves this package.
    static final class RefusedException extends RuntimeException {
        private final ErrorCode code;

        RefusedException(ErrorCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }

        RefusedException(ErrorCode code) {
            this(code, code.text());
        }
    }

    public static Answer admit(Site site, Actor actor, JobSpec spec, Instant now) {
        return answer(new Admission(site, actor, spec, null, now));
    }

    /// Admits a job again that is changed while it waits. What was allowed stays so: only what is
    /// new is asked about.
    ///
    /// @param former as it was until now
    public static Answer readmit(
            Site site, Actor actor, JobSpec spec, JobSpec former, Instant now) {
        return answer(new Admission(site, actor, spec, former, now));
    }

    private static Answer answer(Admission admission) {
        try {
            return admission.admit();
        } catch (RefusedException refused) {
            return new Refused(refused.code, String.valueOf(refused.getMessage()));
        }
    }

    private Admitted admit() {
        if (former == null) {
            checkOwner();
        }
        checkSupported();
        var tasks = tasks();
        checkDependency();
        checkDeadline();
        var partitions = partitions();
        var warnings = new ArrayList<String>();
        var demand =
                new MemoryLimits(site, partitions)
                        .within(new DemandReader(site, partitions, spec, warnings).read());
        var least = leastTime();
        var limit = timeLimit(partitions.getFirst());
        if (least != null && spec.deadline() != null) {
            limit = Deadline.within(limit, spec.deadline(), now);
        }
        if (least != null && least.compareTo(limit) > 0) {
            throw new RefusedException(ErrorCode.INVALID_TIME_MIN);
        }
        new LimitCheck(site, partitions, demand, limit).check();
        var names =
                partitions.stream()
                        .sorted(
                                Comparator.comparingInt(
                                        (Partition partition) -> -partition.spec().priorityTier()))
                        .map(Partition::name)
                        .toList();
        var terms =
                new JobTerms(
                        demand,
                        names,
                        limit,
                        least,
                        mayRequeue(),
                        0,
                        charges.read(names.getFirst()),
                        spec.reservation());
        checkReservations(terms);
        return new Admitted(terms, tasks, warnings);
    }

    private void checkOwner() {
        if (actor.uid() != spec.owner().uid() && !actor.role().atLeast(Role.ADMIN)) {
            throw new RefusedException(ErrorCode.INVALID_USER);
        }
        if (spec.nice() < 0 && !actor.role().atLeast(Role.OPERATOR)) {
            throw new RefusedException(
                    ErrorCode.INVALID_NICE, "only operators may give a negative nice value");
        }
    }

    private void checkSupported() {
        if (spec.components().size() != 1) {
            throw unsupported("a job of several components (hetjob)");
        }
        if (!spec.licenses().isEmpty()) {
            throw new RefusedException(
                    ErrorCode.INVALID_LICENSES,
                    "no such license: " + String.join(",", spec.licenses()));
        }
        if (spec.coreSpec() > 0) {
            throw unsupported("--core-spec");
        }
        if (spec.noKill()) {
            throw unsupported("--no-kill (a job that goes on when one of its nodes fails)");
        }
    }

    private void checkReservations(JobTerms terms) {
        if (!isNew(JobSpec::reservation) && !isNew(JobSpec::account)) {
            return;
        }
        for (var name : Reservations.named(spec.reservation())) {
            var reservation =
                    site.reservations()
                            .find(name)
                            .orElseThrow(() ->
                                    new RefusedException(
                                            ErrorCode.INVALID_RESERVATION,
                                            "no reservation is called " + name));
            if (!reservation.admits(spec.owner(), terms.charge().account())) {
                throw new RefusedException(ErrorCode.RESERVATION_ACCESS);
            }
        }
    }

    static RefusedException unsupported(String what) {
        return new RefusedException(
                ErrorCode.NOT_SUPPORTED, what + " is not supported by this cluster");
    }

    private @Nullable ArraySpec tasks() {
        if (spec.array().isEmpty()) {
            return null;
        }
        if (!spec.isBatch()) {
            throw new RefusedException(ErrorCode.INVALID_ARRAY, "only batch jobs can be arrays");
        }
        try {
            return ArraySpec.parse(spec.array(), site.config().rules().maxArraySize());
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.INVALID_ARRAY, String.valueOf(e.getMessage()));
        }
    }

    private void checkDependency() {
        if (spec.dependency().isEmpty()) {
            return;
        }
        if (spec.dependency().startsWith("expand:")) {
            throw unsupported("--dependency=expand");
        }
        try {
            DependencySpec.parse(spec.dependency());
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.DEPENDENCY, String.valueOf(e.getMessage()));
        }
    }

    private void checkDeadline() {
        if (isNew(JobSpec::deadline) && spec.deadline() != null && spec.deadline().isBefore(now)) {
            throw new RefusedException(
                    former == null ? ErrorCode.INVALID_TIME_LIMIT : ErrorCode.INVALID_TIME,
                    "the deadline has passed already");
        }
    }

    private List<Partition> partitions() {
        if (spec.partitions().isEmpty()) {
            var byDefault =
                    site.defaultPartition()
                            .orElseThrow(() ->
                                    new RefusedException(
                                            ErrorCode.NO_DEFAULT_PARTITION,
                                            "no partition was named, and the cluster has no default one. Choose one that sinfo lists"));
            checkAccess(byDefault);
            return List.of(byDefault);
        }
        var partitions = new ArrayList<Partition>();
        for (var name : spec.partitions()) {
            var partition =
                    site.partition(name)
                            .orElseThrow(() ->
                                    new RefusedException(
                                            ErrorCode.INVALID_PARTITION,
                                            "invalid partition specified: " + name));
            checkAccess(partition);
            if (!partitions.contains(partition)) {
                partitions.add(partition);
            }
        }
        return partitions;
    }

    private void checkAccess(Partition partition) {
        var rules = partition.spec();
        var isNewHere = former == null || !former.partitions().contains(rules.name());
        if (isNewHere) {
            checkDoor(rules);
        }
        var charge = charges.read(rules.name());
        var account = charge.account();
        if ((isNewHere || isNew(JobSpec::account))
                && (!isAllowed(account, rules.allowAccounts())
                        || rules.denyAccounts().contains(account))) {
            throw new RefusedException(ErrorCode.INVALID_ACCOUNT);
        }
        if ((isNewHere || isNew(JobSpec::qos))
                && (!isAllowed(charge.qosName(), rules.allowQos())
                        || rules.denyQos().contains(charge.qosName()))) {
            throw new RefusedException(ErrorCode.INVALID_QOS);
        }
    }

    private void checkDoor(PartitionSpec rules) {
        if (!rules.state().takesJobs()) {
            throw new RefusedException(ErrorCode.PARTITION_NOT_AVAILABLE);
        }
        if (rules.rootOnly() && actor.uid() != 0) {
            throw new RefusedException(
                    ErrorCode.ACCESS_DENIED,
                    Text.of("partition %s is for root only", rules.name()));
        }
        if (actsForItself()
                && actor.uid() != 0
                && actor.groups().stream().noneMatch(rules.allowGroups()::contains)
                && !isAllowed("", rules.allowGroups())) {
            throw new RefusedException(
                    ErrorCode.GROUP_NOT_PERMITTED,
                    Text.of(
                            "partition %s is for the groups %s",
                            rules.name(), String.join(",", rules.allowGroups())));
        }
    }

    /// Whoever is entitled to submit or move jobs of others knows where to.
    private boolean actsForItself() {
        return actor.uid() == spec.owner().uid();
    }

    private boolean isNew(Function<JobSpec, @Nullable Object> part) {
        return former == null || !Objects.equals(part.apply(spec), part.apply(former));
    }

    private static boolean isAllowed(String name, List<String> allowed) {
        return allowed.isEmpty()
                || allowed.contains(name)
                || allowed.stream().anyMatch("ALL"::equalsIgnoreCase);
    }

    private TimeLimit timeLimit(Partition partition) {
        if (spec.timeLimit() != null) {
            return spec.timeLimit();
        }
        var rules = partition.spec();
        if (rules.defaultTime() != null) {
            return rules.defaultTime();
        }
        var minutes = site.config().rules().defaultTimeLimitMinutes();
        return rules.maxTime() instanceof TimeLimit.Unlimited && minutes > 0
                ? TimeLimit.ofMinutes(minutes)
                : rules.maxTime();
    }

    /// A job with a deadline and no time of its own is content with a minute before it.
    private @Nullable TimeLimit leastTime() {
        var hasTime = spec.timeMin() != null || spec.timeLimit() instanceof TimeLimit.Limited;
        return spec.deadline() == null || hasTime ? spec.timeMin() : TimeLimit.ofMinutes(1);
    }

    private boolean mayRequeue() {
        return spec.requeue() == null ? site.config().rules().requeueByDefault() : spec.requeue();
    }
}
