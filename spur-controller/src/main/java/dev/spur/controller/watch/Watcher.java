package dev.spur.controller.watch;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.job.JobQuery;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventLog.Since;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// One who watches. Used by one thread at a time.
///
/// What it has still to be told are ids: of rows that changed, or up to where the state has been
/// walked through from the beginning. The rows are looked up when they are told.
final class Watcher {
    private static final int ROWS = 200;
    private static final int EVENTS = 4096;
    private static final Duration USUAL_PACE = Duration.ofMillis(200);
    private static final Duration LONGEST_PACE = Duration.ofMinutes(1);

    /// More than this is told by telling everything.
    private static final int MOST_NOTED = 10_000;

    private final Wish wish;
    private final ServerCallStreamObserver<WatchReply> replies;
    private final Rows rows;
    private final Instant endsAt;
    private final Duration pace;

    private EventNumber seen = EventNumber.NONE;
    private long planSeen;
    private @Nullable Cursor cursor;
    private Instant toldAt = Instant.EPOCH;

    private final SequencedSet<JobId> jobs = new LinkedHashSet<>();
    private final SequencedSet<JobId> planned = new LinkedHashSet<>();
    private final SequencedSet<JobId> gone = new LinkedHashSet<>();
    private final SequencedSet<String> nodes = new LinkedHashSet<>();
    private final SequencedSet<String> reservations = new LinkedHashSet<>();
    private boolean partitionsToo;

    /// Where walks through the state have come; missing: there is none.
    private @Nullable Walk walk;

    private boolean beginsAnew;
    private boolean isUntold;

    /// What it wants to hear.
    record Wish(WatchRequest request, JobQuery query, Caller.Person caller) {}

    private record Walk(int nextJob, int nextNode, boolean jobsDone, boolean nodesDone) {
        static final Walk BEGIN = new Walk(0, 0, false, false);
    }

    Watcher(
            Wish wish,
            ServerCallStreamObserver<WatchReply> replies,
            Rows rows,
            Optional<Cursor> cursor,
            Instant endsAt) {
        this.wish = wish;
        this.replies = replies;
        this.rows = rows;
        this.cursor = cursor.orElse(null);
        this.endsAt = endsAt;
        var asked = Duration.ofMillis(Integer.toUnsignedLong(wish.request.getPaceMillis()));
        pace =
                asked.compareTo(USUAL_PACE) < 0
                        ? USUAL_PACE
                        : asked.compareTo(LONGEST_PACE) > 0 ? LONGEST_PACE : asked;
    }

    int uid() {
        return wish.caller.actor().uid();
    }

    boolean isOver(Instant now) {
        return now.isAfter(endsAt);
    }

    boolean isReady() {
        return replies.isReady();
    }

    void end(StatusRuntimeException why) {
        replies.onError(why);
    }

    boolean isBehind(ReplicatedState state, PlanNews plan) {
        return isUntold
                || !seen.equals(state.snapshot().lastEvent())
                || wish.request.getPlan() && planSeen != plan.last();
    }

    /// Tells what it is ready for.
    ///
    /// @return when there may be more for it without any news; null: not before there are
    @Nullable Duration tell(ReplicatedState state, PlanNews plan, String planner, Instant now) {
        if (!isReady() || !isBehind(state, plan)) {
            return null;
        }
        var left = Duration.between(now, toldAt.plus(pace));
        if (!left.isNegative() && !left.isZero() && walk == null) {
            return left;
        }
        begin(state, plan, planner);
        var snapshot = state.snapshot();
        if (walk == null) {
            note(state, plan);
            snapshot = state.snapshot();
        }
        toldAt = now;
        do {
            var reply = WatchReply.newBuilder().setBeginsAnew(beginsAnew);
            beginsAnew = false;
            fill(reply, snapshot);
            var isCurrent = !isUntold();
            if (isCurrent) {
                reply.setCursor(new Cursor(seen, planSeen, planner).toString());
            }
            isUntold = !isCurrent;
            replies.onNext(
                    reply.setIsCurrent(isCurrent)
                            .setNowMicros(InstantMapper.toMicros(now))
                            .build());
        } while (isUntold && isReady());
        return null;
    }

    private boolean isUntold() {
        return walk != null
                || partitionsToo
                || !reservations.isEmpty()
                || !jobs.isEmpty()
                || !gone.isEmpty()
                || !nodes.isEmpty()
                || !planned.isEmpty();
    }

    /// The first time: where it left off, if that is known here.
    private void begin(ReplicatedState state, PlanNews plan, String planner) {
        var from = cursor;
        cursor = null;
        if (from != null && from.event().compareTo(state.snapshot().lastEvent()) <= 0) {
            seen = from.event();
            var isOurs = from.planner().equals(planner) && !planner.isEmpty();
            planSeen = isOurs ? from.plan() : -1;
            isUntold = true; // that nothing happened is worth a word, too
        } else if (seen.equals(EventNumber.NONE)) {
            beginAnew(state, plan);
        }
    }

    private void beginAnew(ReplicatedState state, PlanNews plan) {
        planSeen = plan.last();
        seen = state.snapshot().lastEvent();
        jobs.clear();
        planned.clear();
        gone.clear();
        nodes.clear();
        partitionsToo = wish.request.getPartitions();
        reservations.clear();
        state.snapshot()
                .reservations()
                .list()
                .forEach(reservation -> noteReservation(reservation.name()));
        walk = wish.request.getSignalOnly() ? null : Walk.BEGIN;
        beginsAnew = true;
        isUntold = true;
    }

    /// Reads on.
    private void note(ReplicatedState state, PlanNews plan) {
        var isMore = true;
        while (isMore) {
            switch (state.events().since(seen, EVENTS)) {
                case Since.Behind() -> {
                    beginAnew(state, plan);
                    return;
                }
                case Since.News(var events) -> {
                    isMore = !events.isEmpty();
                    for (var numbered : events) {
                        note(numbered.event());
                        seen = numbered.number();
                    }
                }
            }
            if (jobs.size() + nodes.size() + gone.size() > MOST_NOTED) {
                beginAnew(state, plan);
                return;
            }
        }
        if (wish.request.getPlan()) {
            notePlan(state, plan);
        }
    }

    private void notePlan(ReplicatedState state, PlanNews plan) {
        var last = plan.last();
        if (planSeen < 0 || !plan.since(planSeen, planned::add)) {
            for (var job : state.snapshot().jobs()) {
                if (job.isPending() && isMeant(job)) {
                    planned.add(job.id());
                }
            }
        }
        planSeen = last;
        isUntold |= !planned.isEmpty();
    }

    private void note(Event event) {
        switch (event) {
            case Event.JobSubmitted(var job) -> note(job);
            case Event.JobStarted(var job) -> note(job);
            case Event.JobChanged(var job) -> note(job);
            case Event.JobCompleting(var job) -> note(job);
            case Event.JobEnded(var job) -> note(job);
            case Event.JobRequeued(var job) -> note(job);
            case Event.JobSuspended(var job) -> note(job);
            case Event.JobResumed(var job) -> note(job);
            case Event.ArrayDivided(var job) -> note(job);
            case Event.JobForgotten(var id) -> {
                jobs.remove(id);
                if (wish.request.getJobs()) {
                    gone.add(id);
                }
            }
            case Event.NodeChanged(var node) -> {
                if (wish.request.getNodes()) {
                    nodes.add(node.name());
                }
            }
            case Event.ReservationChanged(var reservation) -> noteReservation(reservation.name());
            case Event.ReservationRemoved(var reservation) -> noteReservation(reservation.name());
            case Event.ConfigApplied() -> partitionsToo |= wish.request.getPartitions();
            case Event.PartitionChanged _, Event.PartitionRemoved _ ->
                    partitionsToo |= wish.request.getPartitions();
            case Event.StepCreated _,
                    Event.StepCancelled _,
                    Event.StepEndedOn _,
                    Event.StepFinished _,
                    Event.AccountsChanged _,
                    Event.CredentialsChanged _ -> {}
        }
    }

    private void noteReservation(String name) {
        if (wish.request.getReservations()) {
            reservations.add(name);
        }
    }

    private void note(Job job) {
        if (wish.request.getJobs() && isMeant(job)) {
            jobs.add(job.id());
        }
    }

    private boolean isMeant(Job job) {
        return wish.query.matches(job) && rows.sees(wish.caller, job);
    }

    private void fill(WatchReply.Builder reply, Snapshot snapshot) {
        if (wish.request.getSignalOnly()) {
            forgetNoted();
            return;
        }
        if (partitionsToo) {
            rows.addPartitions(reply, snapshot);
            partitionsToo = false;
        }
        reply.addAllChangedReservations(reservations);
        reservations.clear();
        var room = ROWS;
        if (walk != null) {
            room = walk(reply, snapshot, walk, room);
        }
        while (room-- > 0 && !jobs.isEmpty()) {
            snapshot.job(jobs.removeFirst()).ifPresent(job -> addJob(reply, job, snapshot));
        }
        while (room-- > 0 && !planned.isEmpty()) {
            snapshot.job(planned.removeFirst())
                    .filter(job -> job.isPending() && isMeant(job))
                    .ifPresent(job -> rows.addPlan(reply, job));
        }
        while (room-- > 0 && !nodes.isEmpty()) {
            var name = nodes.removeFirst();
            snapshot.node(name)
                    .ifPresentOrElse(
                            node -> rows.addNode(reply, node, snapshot),
                            () -> reply.addGoneNodes(name));
        }
        if (!gone.isEmpty()) {
            // The number of a job says nothing of it, but that there was one.
            if (rows.seesAll(wish.caller)) {
                gone.stream().limit(ROWS).forEach(id -> reply.addGoneJobs(id.value()));
            }
            gone.removeAll(gone.stream().limit(ROWS).toList());
        }
    }

    private void forgetNoted() {
        jobs.clear();
        planned.clear();
        gone.clear();
        nodes.clear();
        reservations.clear();
        partitionsToo = false;
    }

    private void addJob(WatchReply.Builder reply, Job job, Snapshot snapshot) {
        rows.addJob(reply, job, wish.caller, wish.request.getFull(), snapshot);
    }

    /// Goes on through the state, which may be a later one by now: what changed behind it is told
    /// afterwards.
    private int walk(WatchReply.Builder reply, Snapshot snapshot, Walk from, int most) {
        var room = most;
        var now = from;
        if (!now.jobsDone()) {
            var next = wantsJobs() ? snapshot.jobs().from(now.nextJob()) : null;
            while (next != null && next.hasNext() && room > 0) {
                var job = next.next();
                now = new Walk(job.id().value() + 1, 0, false, false);
                if (isMeant(job)) {
                    room--;
                    if (wish.request.getJobs()) {
                        addJob(reply, job, snapshot);
                    }
                    if (wish.request.getPlan() && job.isPending()) {
                        rows.addPlan(reply, job);
                    }
                }
            }
            if (next == null || !next.hasNext()) {
                now = new Walk(0, 0, true, false);
            }
        }
        if (now.jobsDone() && room > 0) {
            var next = wish.request.getNodes() ? snapshot.nodes().from(now.nextNode()) : null;
            while (next != null && next.hasNext() && room-- > 0) {
                var node = next.next();
                rows.addNode(reply, node, snapshot);
                now = new Walk(0, node.index() + 1, true, false);
            }
            if (next == null || !next.hasNext()) {
                now = new Walk(0, 0, true, true);
            }
        }
        walk = now.nodesDone() ? null : now;
        return room;
    }

    private boolean wantsJobs() {
        return wish.request.getJobs() || wish.request.getPlan();
    }
}
