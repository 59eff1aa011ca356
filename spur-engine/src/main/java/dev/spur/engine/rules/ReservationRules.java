package dev.spur.engine.rules;

import dev.spur.engine.job.Hold;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.ExitStatus;
import dev.spur.model.JobState;
import dev.spur.model.Outcome;
import dev.spur.model.PendingReason;
import dev.spur.model.notation.Text;
import java.util.List;

/// How reservations come, begin, come again and go, and what their end means for jobs.
final class ReservationRules {
    /// Each is looked at whenever a job is planned.
    private static final int MOST = 1_000;

    private final Tables tables;
    private final JobLifecycle lifecycle;
    private final ReservationDraft drafts;

    ReservationRules(Tables tables, JobLifecycle lifecycle) {
        this.tables = tables;
        this.lifecycle = lifecycle;
        drafts = new ReservationDraft(tables);
    }

    Result create(Command.CreateReservation command) {
        if (tables.reservations.list().size() >= MOST) {
            return new Result.Refused(
                    ErrorCode.BUSY,
                    Text.of("there are %d reservations, the most there can be. Delete one", MOST));
        }
        return switch (drafts.create(command.reservation())) {
            case ReservationDraft.Refused(var code, var message) ->
                    new Result.Refused(code, message);
            case ReservationDraft.Drafted(var reservation) -> {
                put(reservation);
                yield new Result.ReservationCreated(reservation.name());
            }
        };
    }

    Result update(Command.UpdateReservation command) {
        var before = tables.reservations.find(command.reservation().name()).orElse(null);
        if (before == null) {
            return unknown(command.reservation().name());
        }
        return switch (drafts.update(before, command.reservation())) {
            case ReservationDraft.Refused(var code, var message) ->
                    new Result.Refused(code, message);
            case ReservationDraft.Drafted(var changed) -> {
                put(changed);
                yield Result.DONE;
            }
        };
    }

    private static Result unknown(String name) {
        return new Result.Refused(
                ErrorCode.INVALID_RESERVATION, Text.of("no reservation is called %s", name));
    }

    /// One that begins at once needs no alarm for that.
    private void put(Reservation reservation) {
        tables.put(reservation.start().isAfter(tables.now) ? reservation : reservation.asBegun());
    }

    /// Jobs that run in it keep it; jobs that wait for it are held.
    Result delete(Command.DeleteReservation command) {
        var reservation = tables.reservations.find(command.name()).orElse(null);
        if (reservation == null) {
            return unknown(command.name());
        }
        for (var job : tables.index.ofReservation(command.name())) {
            if (job.hasNodes()) {
                return new Result.Refused(
                        ErrorCode.RESERVATION_BUSY,
                        Text.of(
                                "job %s runs in reservation %s. Cancel it, or wait for its end",
                                job.id(), command.name()));
            }
        }
        remove(reservation);
        return Result.DONE;
    }

    private void remove(Reservation reservation) {
        tables.remove(reservation);
        for (var job : tables.index.ofReservation(reservation.name())) {
            if (job.isPending()) {
                release(job, reservation);
            }
        }
    }

    /// Of several that the job may use, the others are left to it.
    private void release(Job job, Reservation gone) {
        var others =
                Reservations.named(job.spec().reservation()).stream()
                        .filter(name -> !name.equals(gone.name()))
                        .toList();
        var free = job.inReservation(String.join(",", others));
        if (others.isEmpty() && !gone.has(ReservationFlag.NO_HOLD_JOBS_AFTER_END)) {
            var held = job.queueing().isHeld() ? job.queueing().hold() : Hold.RESERVATION;
            free = free.withQueueing(job.queueing().withHold(held));
        }
        tables.put(free, new Event.JobChanged(free));
        lifecycle.reconsider(free);
    }

    /// Time has passed.
    void advance() {
        for (var reservation : tables.reservations.list()) {
            var current = tables.reservations.find(reservation.name()).orElse(null);
            if (current != null && !current.begun() && !current.start().isAfter(tables.now)) {
                current = current.asBegun();
                tables.put(current);
            }
            if (current != null && isOver(current)) {
                end(current);
            }
        }
    }

    private boolean isOver(Reservation reservation) {
        var idle = reservation.idleSince();
        return !reservation.end().isAfter(tables.now)
                || reservation.has(ReservationFlag.PURGE_COMP)
                        && reservation.begun()
                        && idle != null
                        && !idle.plus(reservation.purgeAfter()).isAfter(tables.now);
    }

    private void end(Reservation reservation) {
        for (var job : tables.index.ofReservation(reservation.name())) {
            var placement = job.phase().placementOrNull();
            if (reservation.isTiming() && isRunning(job) && placement != null) {
                endWithIt(job, placement.first().node());
            }
        }
        var repetition = reservation.repetition();
        if (repetition == null) {
            remove(reservation);
            return;
        }
        var next = reservation.next();
        while (!next.end().isAfter(tables.now)) {
            next = reservation.with(next).next();
        }
        put(reservation.with(next));
    }

    /// What still runs in it has had its time. A script of which nobody ever said that it began has
    /// not: its node failed it.
    private void endWithIt(Job job, String first) {
        if (job.spec().isBatch() && !NodeRules.hasBegun(job, first)) {
            lifecycle.failedByNode(job, List.of());
        } else {
            lifecycle.complete(
                    job,
                    Outcome.of(JobState.TIMEOUT, ExitStatus.SUCCESS, PendingReason.TIME_LIMIT),
                    JobPhase.AfterCompletion.END);
        }
    }

    private static boolean isRunning(Job job) {
        return job.phase() instanceof JobPhase.Running || job.phase() instanceof JobPhase.Suspended;
    }

    /// Whatever was done, reservations have the nodes they should, and it is known since when
    /// nobody has wanted them.
    void settle() {
        if (tables.reservations.isEmpty()) {
            tables.nodesCameOrWent = false;
            tables.nodesFailed = false;
            return;
        }
        for (var reservation : tables.reservations.list()) {
            if (reservation.has(ReservationFlag.PURGE_COMP) && reservation.begun()) {
                noteWhetherIdle(reservation);
            }
        }
        if (tables.nodesCameOrWent || tables.nodesFailed) {
            var all = tables.nodesCameOrWent;
            tables.nodesCameOrWent = false;
            tables.nodesFailed = false;
            tables.reservations.list().forEach(one -> refill(one, all));
        }
    }

    private void noteWhetherIdle(Reservation reservation) {
        var isWanted = tables.index.isReservationWanted(reservation.name());
        if (isWanted && reservation.idleSince() != null) {
            tables.note(reservation.withIdleSince(null));
        } else if (!isWanted && reservation.idleSince() == null) {
            tables.note(reservation.withIdleSince(tables.now));
        }
    }

    /// @param all whether there are other nodes than before
    private void refill(Reservation reservation, boolean all) {
        if (reservation.extent().isAll() && !all) {
            return;
        }
        var nodes = drafts.refilled(reservation);
        if (!nodes.equals(reservation.nodes())) {
            tables.put(reservation.withNodes(nodes));
        }
    }
}
