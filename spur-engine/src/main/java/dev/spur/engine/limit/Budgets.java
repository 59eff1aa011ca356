package dev.spur.engine.limit;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.Qos;
import dev.spur.engine.job.Charge;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.JobTerms;
import dev.spur.engine.site.Site;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.Placement;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What is in use under every limit: by association with all that is below it, by QOS, by user and
/// by account of a QOS. Follows from the jobs and the tree alone, so it is never stored. Belongs to
/// one thread.
public final class Budgets {
    /// Jobs without a limit count as if they had this one.
    private static final Duration FOR_EVER = Duration.ofDays(365);

    private record OfUser(int qos, String user) {}

    private record OfAccount(int qos, String account) {}

    /// What a pass has started and the state does not have yet.
    private record Taken(Charge charge, String user, TresVector amounts, long end) {}

    private final Map<Integer, InUse> byAssociation = new HashMap<>();
    private final Map<Integer, InUse> byQos = new HashMap<>();
    private final Map<OfUser, InUse> byUser = new HashMap<>();
    private final Map<OfAccount, InUse> byAccount = new HashMap<>();
    private final List<Taken> taken = new ArrayList<>();

    /// A job changed.
    ///
    /// @param site with the accounts by which all before was counted
    public void replace(@Nullable Job before, @Nullable Job after, Site site) {
        if (before != null && after != null && countsAlike(before, after)) {
            return;
        }
        add(before, -1, site);
        add(after, 1, site);
    }

    private static boolean countsAlike(Job before, Job after) {
        return before.phase() == after.phase()
                && before.terms() == after.terms()
                && before.array() == after.array();
    }

    private void add(@Nullable Job job, int sign, Site site) {
        if (job == null || job.isEnded()) {
            return;
        }
        var charge = job.terms().charge();
        var user = job.spec().owner().userName();
        var uses = uses(charge, user, site.accounts());
        var tasks = tasks(job);
        uses.forEach(use -> use.submit(sign * tasks));
        var placement = placementInUse(job);
        if (placement != null) {
            var amounts = JobAmounts.of(placement, site);
            var end = end(job);
            uses.forEach(use -> use.run(amounts, end, sign));
        }
        if (sign < 0) {
            forget(charge, user, site.accounts());
        }
    }

    /// How many jobs a record stands for.
    private static int tasks(Job job) {
        var array = job.array();
        return array == null || array.split() ? 1 : array.tasks().count();
    }

    /// What the job has for itself; null if nothing.
    private static @Nullable Placement placementInUse(Job job) {
        return switch (job.phase()) {
            case JobPhase.Running running -> running.placement();
            case JobPhase.Suspended suspended -> suspended.placement();
            case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> null;
        };
    }

    private static long end(Job job) {
        var deadline =
                switch (job.phase()) {
                    case JobPhase.Running running -> running.deadline();
                    case JobPhase.Suspended suspended -> suspended.deadline();
                    case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> null;
                };
        var since = job.phase().startedAt();
        return deadline != null
                ? deadline.getEpochSecond()
                : since == null ? 0 : since.plus(FOR_EVER).getEpochSecond();
    }

    /// As if the job had started: until [#giveBack].
    public void take(
            Job job,
            Charge charge,
            TresVector amounts,
            TimeLimit limit,
            Instant now,
            Accounts accounts) {
        var duration = limit instanceof TimeLimit.Limited some ? some.duration() : FOR_EVER;
        var one =
                new Taken(
                        charge,
                        job.spec().owner().userName(),
                        amounts,
                        now.plus(duration).getEpochSecond());
        taken.add(one);
        uses(charge, one.user, accounts).forEach(use -> use.run(amounts, one.end, 1));
    }

    /// What was only taken for a plan. The accounts are those it was taken under.
    public void giveBack(Accounts accounts) {
        for (var one : taken) {
            uses(one.charge, one.user, accounts).forEach(use -> use.run(one.amounts, one.end, -1));
        }
        taken.clear();
    }

    /// Everything anew: the tree is another one, or what is billed.
    public void recount(Iterable<Job> jobs, Site site) {
        byAssociation.clear();
        byQos.clear();
        byUser.clear();
        byAccount.clear();
        taken.clear();
        jobs.forEach(job -> add(job, 1, site));
    }

    private List<InUse> uses(Charge charge, String user, Accounts accounts) {
        var uses = new ArrayList<InUse>(10);
        for (var one : accounts.chain(charge.association())) {
            uses.add(byAssociation.computeIfAbsent(one.id(), _ -> new InUse()));
        }
        addQos(charge.qos(), charge, user, uses);
        if (charge.partitionQos() != charge.qos()) {
            addQos(charge.partitionQos(), charge, user, uses);
        }
        return uses;
    }

    private void addQos(int qos, Charge charge, String user, List<InUse> uses) {
        if (qos != 0) {
            uses.add(byQos.computeIfAbsent(qos, _ -> new InUse()));
            uses.add(byUser.computeIfAbsent(new OfUser(qos, user), _ -> new InUse()));
            uses.add(
                    byAccount.computeIfAbsent(
                            new OfAccount(qos, charge.account()), _ -> new InUse()));
        }
    }

    private void forget(Charge charge, String user, Accounts accounts) {
        for (var one : accounts.chain(charge.association())) {
            forget(byAssociation, one.id());
        }
        for (var qos : List.of(charge.qos(), charge.partitionQos())) {
            forget(byQos, qos);
            forget(byUser, new OfUser(qos, user));
            forget(byAccount, new OfAccount(qos, charge.account()));
        }
    }

    private static <K> void forget(Map<K, InUse> uses, K key) {
        var use = uses.get(key);
        if (use != null && use.isNothing()) {
            uses.remove(key);
        }
    }

    InUse ofAssociation(int id) {
        return byAssociation.getOrDefault(id, InUse.NOTHING);
    }

    InUse ofQos(int id) {
        return byQos.getOrDefault(id, InUse.NOTHING);
    }

    InUse ofUser(int qos, String user) {
        return byUser.getOrDefault(new OfUser(qos, user), InUse.NOTHING);
    }

    InUse ofAccount(int qos, String account) {
        return byAccount.getOrDefault(new OfAccount(qos, account), InUse.NOTHING);
    }

    /// How many jobs of an association wait or run, with all below it.
    public int submitted(int association) {
        return ofAssociation(association).submitted();
    }

    public int submittedOfQos(int qos) {
        return ofQos(qos).submitted();
    }

    /// What an association has now, for people.
    public Shown shown(int association, Instant now) {
        return Shown.of(ofAssociation(association), now);
    }

    public Shown shownOfQos(int qos, Instant now) {
        return Shown.of(ofQos(qos), now);
    }

    /// @param runSeconds what running jobs may still use, by number of the resource
    public record Shown(
            int running, int submitted, TresVector amounts, Map<Integer, Long> runSeconds) {
        private static Shown of(InUse use, Instant now) {
            var seconds = new HashMap<Integer, Long>();
            use.amounts().forEach((id, _) -> seconds.put(id, use.runSeconds(id, now)));
            return new Shown(use.running(), use.submitted(), use.amounts(), seconds);
        }
    }

    /// With everything that it would count differently from another, for tests.
    @Override
    public String toString() {
        var lines = new TreeSet<String>();
        byAssociation.forEach((id, use) -> line(lines, "association " + id, use));
        byQos.forEach((id, use) -> line(lines, "qos " + id, use));
        byUser.forEach((key, use) -> line(lines, key.toString(), use));
        byAccount.forEach((key, use) -> line(lines, key.toString(), use));
        return String.join("\n", lines);
    }

    private static void line(Set<String> lines, String name, InUse use) {
        if (!use.isNothing()) {
            var ends = new StringBuilder();
            use.amounts()
                    .forEach((id, _) -> ends.append(' ').append(use.runSeconds(id, Instant.EPOCH)));
            lines.add(
                    name
                            + ": "
                            + use.running()
                            + "/"
                            + use.submitted()
                            + " "
                            + use.amounts()
                            + ends);
        }
    }

    /// What counts for a job under these terms in a partition.
    public static Charge chargeIn(JobTerms terms, String user, String partition, Site site) {
        var charge = terms.charge();
        var accounts = site.accounts();
        var inPartition =
                charge.association() == 0
                        ? charge
                        : accounts.inForce(charge.account(), user, partition)
                                .map(one -> charge.withAssociation(one.id()))
                                .orElse(charge);
        return inPartition.withPartitionQos(partitionQos(partition, site));
    }

    public static int partitionQos(String partition, Site site) {
        return site.partition(partition)
                .flatMap(one -> site.accounts().qos(one.spec().qos()))
                .map(Qos::id)
                .orElse(0);
    }
}
