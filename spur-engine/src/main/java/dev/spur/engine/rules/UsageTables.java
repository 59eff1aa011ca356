package dev.spur.engine.rules;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.PastUsage;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.account.UsageView;
import dev.spur.engine.job.Charge;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.table.PagedTable;
import dev.spur.engine.tres.TresRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What was used. A job's part is added when it ends or is suspended; that of those that run on, in
/// intervals, so that nothing is written for each job while it runs. Times come from the commands
/// alone and sums are made in a fixed order, so every replica has the same digits.
final class UsageTables implements UsageBook {
    private final Tables tables;
    private final PagedTable<PastUsage> associations = new PagedTable<>();
    private final PagedTable<PastUsage> qos = new PagedTable<>();

    /// Follows from the jobs.
    private final TreeSet<Integer> running = new TreeSet<>(Integer::compareUnsigned);

    private Instant countedAt = Instant.EPOCH;
    private long changes;

    UsageTables(Tables tables) {
        this.tables = tables;
    }

    @Override
    public Instant countedAt() {
        return countedAt;
    }

    @Override
    public PastUsage ofAssociation(int id) {
        var known = associations.get(id);
        return known == null ? PastUsage.none(id) : known;
    }

    @Override
    public PastUsage ofQos(int id) {
        var known = qos.get(id);
        return known == null ? PastUsage.none(id) : known;
    }

    UsageView publish() {
        return new UsageView(countedAt, associations.publish(), qos.publish());
    }

    /// Counts what was written: as long as it is the same, so is the usage.
    long changes() {
        return changes;
    }

    void load(Instant counted) {
        countedAt = counted;
    }

    void loadAssociation(PastUsage usage) {
        associations.put(usage.id(), usage);
    }

    void loadQos(PastUsage usage) {
        qos.put(usage.id(), usage);
    }

    /// When the usage of running jobs is to be counted next; null as long as none runs.
    @Nullable Instant nextAlarm() {
        return running.isEmpty() ? null : countedAt.plus(interval());
    }

    private Duration interval() {
        return tables.config.rules().accounting().usageInterval();
    }

    /// A job changed.
    ///
    /// @param before missing: it is new, or was loaded
    void follow(@Nullable Job before, @Nullable Job after) {
        var wasRunning = isRunning(before);
        if (after != null && isRunning(after) && !wasRunning) {
            begin(before, after);
        } else if (before != null && wasRunning && !isRunning(after)) {
            running.remove(before.id().value());
            add(before, 1);
        }
    }

    private static boolean isRunning(@Nullable Job job) {
        return job != null && job.phase() instanceof JobPhase.Running;
    }

    private void begin(@Nullable Job before, Job after) {
        if (before != null && running.isEmpty()) {
            catchUp();
        }
        running.add(after.id().value());
        if (before != null && before.phase() instanceof JobPhase.Suspended) {
            // The next count takes it for running since the last one, or since its start.
            add(after, -1);
        }
    }

    /// Nothing ran for long: what is there has faded meanwhile.
    private void catchUp() {
        if (!tables.now.isBefore(countedAt.plus(interval()))) {
            count();
        }
    }

    /// What the job used since the last count.
    private void add(Job job, int sign) {
        var seconds = sign * secondsSince(job);
        if (seconds == 0) {
            return;
        }
        var charge = job.terms().charge();
        var amounts = JobAmounts.of(job, tables);
        var billing = amounts.get(TresRegistry.BILLING);
        var factor = factor(charge);
        changes++;
        for (var one : tables.accounts.chain(charge.association())) {
            associations.put(
                    one.id(), ofAssociation(one.id()).plus(seconds, amounts, billing, factor));
        }
        for (var id : qosOf(charge)) {
            qos.put(id, ofQos(id).plus(seconds, amounts, billing, factor));
        }
    }

    private static List<Integer> qosOf(Charge charge) {
        return charge.partitionQos() == 0 || charge.partitionQos() == charge.qos()
                ? charge.qos() == 0 ? List.of() : List.of(charge.qos())
                : charge.qos() == 0
                        ? List.of(charge.partitionQos())
                        : List.of(charge.qos(), charge.partitionQos());
    }

    private double factor(Charge charge) {
        var known = tables.accounts.qos().get(charge.qos());
        return known == null ? 1 : known.usageFactor();
    }

    private double secondsSince(Job job) {
        var since = job.phase().startedAt();
        if (since == null) {
            return 0;
        }
        var from = since.isAfter(countedAt) ? since : countedAt;
        return Math.max(0, Duration.between(from, tables.now).toMillis()) / 1000.0;
    }

    boolean isDue() {
        var next = nextAlarm();
        return next != null && !next.isAfter(tables.now);
    }

    /// Everything fades, and whoever runs is counted until now.
    void count() {
        var rules = tables.config.rules().accounting();
        var fading = UsageBook.fading(countedAt, tables.now, rules);
        // By whom it is charged to, so that the tree is walked once for each of these.
        var used = new TreeMap<Integer, PastUsage>();
        var usedOfQos = new TreeMap<Integer, PastUsage>();
        for (var id : running) {
            var job = tables.jobs.get(id);
            if (job == null) {
                continue;
            }
            var charge = job.terms().charge();
            var seconds = secondsSince(job);
            var amounts = JobAmounts.of(job, tables);
            var billing = amounts.get(TresRegistry.BILLING);
            var factor = factor(charge);
            used.merge(
                    charge.association(),
                    PastUsage.none(charge.association()).plus(seconds, amounts, billing, factor),
                    (one, other) -> one.plus(other, 1));
            for (var number : qosOf(charge)) {
                usedOfQos.merge(
                        number,
                        PastUsage.none(number).plus(seconds, amounts, billing, factor),
                        (one, other) -> one.plus(other, 1));
            }
        }
        if (fading != 1) {
            for (var usage : associations.publish()) {
                associations.put(usage.id(), usage.times(fading));
            }
            for (var usage : qos.publish()) {
                if (!keeps(usage.id()) || fading == 0) {
                    qos.put(usage.id(), usage.times(fading));
                }
            }
        }
        used.forEach((id, usage) -> {
            for (var one : tables.accounts.chain(id)) {
                associations.put(one.id(), ofAssociation(one.id()).plus(usage, 1));
            }
        });
        usedOfQos.forEach((id, usage) -> qos.put(id, ofQos(id).plus(usage, 1)));
        countedAt = tables.now;
        changes++;
    }

    private boolean keeps(int id) {
        var known = tables.accounts.qos().get(id);
        return known != null && known.has(QosFlag.NO_DECAY);
    }

    /// Those who moved take what they used along; those who are gone leave it with whom they
    /// belonged to.
    void follow(Accounts before, Accounts after) {
        for (var one : after.associations().values()) {
            var was = before.associations().get(one.id());
            if (was != null && was.parent() != one.parent()) {
                move(one.id(), before, after);
            }
        }
        for (var id : before.associations().keySet()) {
            if (!after.associations().containsKey(id)) {
                associations.remove(id);
            }
        }
        for (Qos one : before.qos().values()) {
            if (!after.qos().containsKey(one.id())) {
                qos.remove(one.id());
            }
        }
        changes++;
    }

    private void move(int id, Accounts before, Accounts after) {
        var own = ofAssociation(id);
        for (var above : before.chain(id)) {
            if (above.id() != id) {
                associations.put(above.id(), ofAssociation(above.id()).plus(own, -1));
            }
        }
        for (var above : after.chain(id)) {
            if (above.id() != id) {
                associations.put(above.id(), ofAssociation(above.id()).plus(own, 1));
            }
        }
    }

    /// `rawusage=0`: also with those above.
    void forget(List<Integer> some, List<Integer> someQos) {
        for (var id : some) {
            var own = ofAssociation(id);
            for (var one : tables.accounts.chain(id)) {
                associations.put(one.id(), ofAssociation(one.id()).plus(own, -1));
            }
        }
        someQos.forEach(qos::remove);
        changes++;
    }
}
