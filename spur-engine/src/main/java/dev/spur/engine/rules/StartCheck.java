package dev.spur.engine.rules;

import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.job.Deadline;
import dev.spur.engine.job.Job;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.limit.LimitRules;
import dev.spur.engine.reservation.Period;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.engine.state.Command;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import dev.spur.model.notation.Text;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Whether a start that was decided on an older snapshot still fits. Resources are never given
/// twice, whatever the scheduler thought.
final class StartCheck {
    private StartCheck() {}

    /// What stands in the way; null if nothing does.
    static @Nullable String obstacle(Tables tables, Job job, Command.JobStart start) {
        var placement = start.placement();
        var queueing = job.queueing();
        if (!job.isPending()) {
            return Text.of("job %s is no longer pending", job.id());
        }
        if (queueing.isHeld()
                || !queueing.dependencies().isEmpty()
                || queueing.notBefore() != null) {
            return Text.of("job %s may not start yet", job.id());
        }
        if (Deadline.hasPassed(job, tables.now)) {
            return Text.of("job %s could not end before its deadline", job.id());
        }
        if (job.array() != null && isThrottled(tables.ledgerOf(job))) {
            return Text.of("array %s already runs as many tasks as it may", job.array().array());
        }
        if (job.terms().revision() != start.terms()) {
            return Text.of("job %s was changed after this start was planned", job.id());
        }
        if (Set.copyOf(placement.nodeNames()).size() < placement.nodes().size()) {
            return Text.of("job %s was given a node twice", job.id());
        }
        var partition = tables.partition(placement.partition()).orElse(null);
        if (partition == null
                || !job.terms().partitions().contains(partition.name())
                || !partition.spec().state().startsJobs()) {
            return Text.of("partition %s does not start job %s", placement.partition(), job.id());
        }
        var demand = job.terms().demand();
        if (placement.nodes().isEmpty()
                || placement.nodes().size() < demand.minNodes()
                || placement.nodes().size() > demand.maxNodes()) {
            return Text.of("job %s was given %d nodes", job.id(), placement.nodes().size());
        }
        if (placement.cpus() < demand.cpus()) {
            return Text.of(
                    "job %s needs %d CPUs and was given %d",
                    job.id(), demand.cpus(), placement.cpus());
        }
        if (start.limit() != null && !job.terms().allows(start.limit())) {
            return Text.of("job %s may not be limited to %s", job.id(), start.limit());
        }
        for (var share : placement.nodes()) {
            var obstacle = obstacle(tables, partition, share);
            if (obstacle != null) {
                return obstacle;
            }
        }
        var kept = reservation(tables, job, start);
        return kept != null ? kept : limit(tables, job, start);
    }

    /// Nobody runs on nodes while they are kept for others, or in a reservation that is not his.
    private static @Nullable String reservation(Tables tables, Job job, Command.JobStart start) {
        var named = Reservations.named(job.terms().reservation());
        if (tables.reservations.isEmpty() && named.isEmpty() && start.reservation().isEmpty()) {
            return null;
        }
        var own = tables.reservations.find(start.reservation()).orElse(null);
        if (own == null && (!named.isEmpty() || !start.reservation().isEmpty())) {
            return Text.of("job %s waits for its reservation", job.id());
        }
        var limit = start.limit() == null ? job.terms().timeLimit() : start.limit();
        var nodes = indexes(tables, start);
        var end = end(tables.now, limit, own);
        if (own != null) {
            var obstacle = obstacleIn(own, tables, job, start, nodes, end);
            if (obstacle != null) {
                return obstacle;
            }
        }
        var closing =
                end.isAfter(tables.now)
                        ? tables.reservations.closing(nodes, new Period(tables.now, end), own)
                        : null;
        return closing == null
                ? null
                : Text.of("job %s would be on nodes of reservation %s", job.id(), closing.name());
    }

    private static @Nullable String obstacleIn(
            Reservation own,
            Tables tables,
            Job job,
            Command.JobStart start,
            IndexSet nodes,
            Instant end) {
        var named = Reservations.named(job.terms().reservation());
        var owner = job.spec().owner();
        var account =
                Budgets.chargeIn(
                                job.terms(),
                                owner.userName(),
                                start.placement().partition(),
                                tables)
                        .account();
        if (!(named.isEmpty() ? own.has(ReservationFlag.MAGNETIC) : named.contains(own.name()))
                || !own.admits(owner, account)) {
            return Text.of("job %s may not use reservation %s", job.id(), own.name());
        }
        if (own.isTiming() && (!own.isActive(tables.now) || end.isAfter(own.end()))) {
            return Text.of("reservation %s does not last as long as job %s", own.name(), job.id());
        }
        return own.isConfining() && !own.nodes().containsAll(nodes)
                ? Text.of("job %s would not be on nodes of reservation %s", job.id(), own.name())
                : null;
    }

    private static IndexSet indexes(Tables tables, Command.JobStart start) {
        var indexes = new BitSet();
        for (var share : start.placement().nodes()) {
            tables.node(share.node()).ifPresent(node -> indexes.set(node.index()));
        }
        return IndexSet.of(indexes);
    }

    /// A job without a limit runs as long as its reservation lasts.
    private static Instant end(Instant now, TimeLimit limit, @Nullable Reservation own) {
        return switch (limit) {
            case TimeLimit.Limited limited ->
                    limited.duration().compareTo(Reservations.HORIZON) < 0
                            ? now.plus(limited.duration())
                            : now.plus(Reservations.HORIZON);
            case TimeLimit.Unlimited _ ->
                    own != null && own.isTiming() ? own.end() : now.plus(Reservations.HORIZON);
        };
    }

    private static @Nullable String limit(Tables tables, Job job, Command.JobStart start) {
        var rules = new LimitRules(tables, tables.budgets, tables.now);
        if (!rules.areEnforced()) {
            return null;
        }
        var user = job.spec().owner().userName();
        var placement = start.placement();
        var reason =
                rules.toStart(
                        new LimitRules.Candidate(
                                Budgets.chargeIn(job.terms(), user, placement.partition(), tables),
                                user,
                                JobAmounts.of(placement, tables),
                                placement,
                                start.limit() == null ? job.terms().timeLimit() : start.limit()));
        return reason == null ? null : Text.of("job %s has to wait: %s", job.id(), reason);
    }

    static boolean isThrottled(ArrayLedger ledger) {
        var throttle = ledger.spec().throttle();
        return throttle.isPresent() && ledger.active() >= throttle.getAsInt();
    }

    private static @Nullable String obstacle(Tables tables, Partition partition, NodeShare share) {
        var node = tables.node(share.node()).orElse(null);
        if (node == null || !node.isSchedulable()) {
            return Text.of("node %s is not in service", share.node());
        }
        if (!partition.nodes().contains(node.index())) {
            return Text.of(
                    "node %s does not belong to partition %s", share.node(), partition.name());
        }
        var usage = node.usage();
        if (share.cpus().isEmpty()
                || share.cpus().intersects(usage.cpus())
                || share.cpus().next(node.shape().cpus()) >= 0) {
            return Text.of("CPUs of node %s are taken", share.node());
        }
        if (share.memoryMebibytes() < 0
                || share.memoryMebibytes()
                        > node.shape().memoryMebibytes() - usage.memoryMebibytes()) {
            return Text.of("memory of node %s is taken", share.node());
        }
        for (var gres : share.gres()) {
            if (gres.count() != gres.indices().size()
                    || gres.indices().intersects(usage.devices(gres.name()))
                    || !node.shape()
                            .devices(gres.name(), gres.type())
                            .containsAll(gres.indices())) {
                return Text.of("%s of node %s are taken", gres.name(), share.node());
            }
        }
        return null;
    }
}
