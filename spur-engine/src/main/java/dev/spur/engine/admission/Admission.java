package dev.spur.engine.admission;

import dev.spur.engine.state.JobTerms;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Site;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.Role;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.DependencySpec;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Admits or refuses a job.
public final class Admission {
    private final Site site;
    private final Actor actor;
    private final JobSpec spec;
    private final Instant now;

    private Admission(Site site, Actor actor, JobSpec spec, Instant now) {
        this.site = site;
        this.actor = actor;
        this.spec = spec;
        this.now = now;
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
        try {
            return new Admission(site, actor, spec, now).admit();
        } catch (RefusedException refused) {
            return new Refused(refused.code, String.valueOf(refused.getMessage()));
        }
    }

    private Admitted admit() {
        checkOwner();
        checkSupported();
        var tasks = tasks();
        checkDependency();
        if (spec.deadline() != null && spec.deadline().isBefore(now)) {
            throw new RefusedException(ErrorCode.INVALID_TIME, "the deadline has passed already");
        }
        var partitions = partitions();
        var warnings = new ArrayList<String>();
        var demand = new DemandReader(site, partitions, spec, warnings).read();
        var limit = timeLimit(partitions.getFirst());
        new LimitCheck(site, partitions, demand, limit).check();
        var names =
                partitions.stream()
                        .sorted(
                                Comparator.comparingInt(
                                        (Partition partition) -> -partition.spec().priorityTier()))
                        .map(Partition::name)
                        .toList();
        var terms = new JobTerms(demand, names, limit, spec.timeMin(), mayRequeue());
        return new Admitted(terms, tasks, warnings);
    }

    private void checkOwner() {
        if (actor.uid() != spec.owner().uid() && !actor.role().atLeast(Role.ADMIN)) {
            throw new RefusedException(ErrorCode.INVALID_USER);
        }
        if (spec.nice() < 0 && !actor.role().atLeast(Role.OPERATOR)) {
            throw new RefusedException(
                    ErrorCode.ACCESS_DENIED, "only operators may give a negative nice value");
        }
    }

    private void checkSupported() {
        if (spec.components().size() != 1) {
            throw unsupported("a job of several components (hetjob)");
        }
        if (!spec.reservation().isEmpty()) {
            throw new RefusedException(
                    ErrorCode.INVALID_RESERVATION,
                    "no reservation is called " + spec.reservation());
        }
        if (!spec.licenses().isEmpty()) {
            throw new RefusedException(
                    ErrorCode.INVALID_LICENSES,
                    "no such license: " + String.join(",", spec.licenses()));
        }
        if (spec.coreSpec() > 0) {
            throw unsupported("--core-spec");
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
        try {
            DependencySpec.parse(spec.dependency());
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.DEPENDENCY, String.valueOf(e.getMessage()));
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
                                            "invalid partition specified: "
                                                    + String.join(",", spec.partitions())));
            checkAccess(partition);
            if (!partitions.contains(partition)) {
                partitions.add(partition);
            }
        }
        return partitions;
    }

    private void checkAccess(Partition partition) {
        var rules = partition.spec();
        if (!rules.state().takesJobs()) {
            throw new RefusedException(ErrorCode.PARTITION_NOT_AVAILABLE);
        }
        if (rules.rootOnly() && actor.uid() != 0) {
            throw new RefusedException(
                    ErrorCode.ACCESS_DENIED,
                    "partition %s is for root only".formatted(rules.name()));
        }
        var account = spec.account();
        if ((!rules.allowAccounts().isEmpty() && !rules.allowAccounts().contains(account))
                || rules.denyAccounts().contains(account)) {
            throw new RefusedException(ErrorCode.INVALID_ACCOUNT);
        }
        if ((!rules.allowQos().isEmpty() && !rules.allowQos().contains(spec.qos()))
                || rules.denyQos().contains(spec.qos())) {
            throw new RefusedException(ErrorCode.INVALID_QOS);
        }
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

    private boolean mayRequeue() {
        return spec.requeue() == null ? site.config().rules().requeueByDefault() : spec.requeue();
    }
}
