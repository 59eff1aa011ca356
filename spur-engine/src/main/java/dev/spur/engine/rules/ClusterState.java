package dev.spur.engine.rules;

import dev.spur.engine.limit.Budgets;
import dev.spur.engine.state.Applied;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.EventLog;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.Recording;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The state machine. One thread applies commands and publishes; any thread may read what was
/// published.
///
/// What each command means is in the rules: [JobLifecycle], [JobVerbs], [JobArrays],
/// [DependencyRules], [StepRules], [NodeRules], [TimeRules], [AccountRules].
public final class ClusterState {
    private static final int EVENTS_KEPT = 1 << 16;

    private final Tables tables;
    private final JobLifecycle lifecycle;
    private final JobVerbs verbs;
    private final StepRules steps;
    private final NodeRules nodes;
    private final CredentialRules credentials;
    private final AccountRules accounts;
    private final SiteRules site;
    private final PartitionRules partitions;
    private final ReservationRules reservations;
    private final TimeRules time;
    private final EventLog events;
    private long entry;
    private volatile Snapshot published;

    public ClusterState() {
        this(new Tables(), EventNumber.NONE);
    }

    /// @param lastEvent that the tables tell of
    ClusterState(Tables tables, EventNumber lastEvent) {
        this.tables = tables;
        events = new EventLog(EVENTS_KEPT, lastEvent);
        entry = lastEvent.entry();
        var arrays = new JobArrays(tables);
        lifecycle = new JobLifecycle(tables, arrays);
        verbs = new JobVerbs(tables, arrays, lifecycle);
        steps = new StepRules(tables, lifecycle);
        credentials = new CredentialRules(tables);
        accounts = new AccountRules(tables);
        site = new SiteRules(tables);
        nodes = new NodeRules(tables, lifecycle, site);
        partitions = new PartitionRules(tables, site);
        reservations = new ReservationRules(tables, lifecycle);
        time = new TimeRules(tables, lifecycle, nodes, reservations);
        site.restore();
        published = view();
    }

    /// What is applied from here on comes from this entry of the log: its events are numbered so.
    public void enter(long index) {
        entry = index;
    }

    /// Folds one command into the state and tells what changed. Never throws: a command that no
    /// longer fits yields [Result.Ignored]. Called by the apply thread only; readers see it after
    /// [#publish].
    public Applied apply(Command command) {
        tables.revision++;
        tables.now = command.at().isAfter(tables.now) ? command.at() : tables.now;
        var result = command instanceof Command.Request request ? once(request) : act(command);
        reservations.settle();
        var news = tables.takeNews().stream().map(event -> events.add(entry, event)).toList();
        return new Applied(result, news);
    }

    /// Makes everything applied so far visible to readers, at once.
    public Snapshot publish() {
        published = view();
        events.publish();
        return published;
    }

    /// The latest published state.
    public Snapshot snapshot() {
        return published;
    }

    /// See [JobIndex#effort] and [SiteRules#effort].
    long effort() {
        return tables.index.effort() + site.effort();
    }

    /// What limits count now.
    Budgets budgets() {
        return tables.budgets;
    }

    public EventLog events() {
        return events;
    }

    /// A request of this user that was answered before gets the same answer and does nothing.
    private Result once(Command.Request request) {
        if (request.requestId().isEmpty()) {
            return act(request);
        }
        var known = tables.requests.answerTo(request);
        if (known != null) {
            return known;
        }
        var result = act(request);
        // That there is no room just now promises nothing, and whoever waits for room hears it
        // again
        // and again: remembered, it would push out answers of his that count.
        if (!(result instanceof Result.StepBusy)) {
            tables.requests.remember(request, result);
        }
        return result;
    }

    private Result act(Command command) {
        return switch (command) {
            case Command.SubmitJob submit -> lifecycle.submit(submit);
            case Command.UpdateJobs update -> verbs.update(update);
            case Command.HoldJobs hold -> verbs.hold(hold);
            case Command.ReleaseJobs release -> verbs.release(release);
            case Command.CancelJobs cancel -> verbs.cancel(cancel);
            case Command.RequeueJobs requeue -> verbs.requeue(requeue);
            case Command.SuspendJobs suspend -> verbs.suspend(suspend);
            case Command.ResumeJobs resume -> verbs.resume(resume);
            case Command.TopJobs top -> verbs.top(top);
            case Command.FinishAllocation finish -> lifecycle.finishAllocation(finish);
            case Command.CreateStep create -> steps.create(create);
            case Command.UpdateNodes update -> nodes.update(update);
            case Command.ApplyConfig apply -> site.apply(apply.config(), apply.keepsEdits());
            case Command.ChangeAccounts change -> accounts.change(change);
            case Command.CreateToken create -> credentials.create(create);
            case Command.RevokeToken revoke -> credentials.revoke(revoke);
            case Command.CreateJoinToken create -> credentials.create(create);
            case Command.RevokeCertificate revoke -> credentials.revoke(revoke);
            case Command.RevokeHost revoke -> credentials.revoke(revoke);
            case Command.CreateReservation create -> reservations.create(create);
            case Command.UpdateReservation update -> reservations.update(update);
            case Command.DeleteReservation delete -> reservations.delete(delete);
            case Command.CreatePartition create -> partitions.create(create);
            case Command.UpdatePartition update -> partitions.update(update);
            case Command.DeletePartition delete -> partitions.delete(delete);
            case Command.LinkCloudUser link -> credentials.link(link);
            case Command.UnlinkCloudUser unlink -> credentials.unlink(unlink);
            case Command.ClaimCloudLink claim -> credentials.claim(claim);
            case Command.CertifyHost certify -> credentials.certify(certify);
            case Command.UseJoinToken use -> credentials.use(use);
            case Command.StartJobs start -> lifecycle.start(start.starts());
            case Command.StepStarted report -> steps.started(report);
            case Command.StepEnded report -> steps.ended(report);
            case Command.JobGone report -> lifecycle.gone(report);
            case Command.LaunchFailed report -> lifecycle.launchFailed(report);
            case Command.RegisterNode register -> nodes.register(register);
            case Command.NodeLost lost -> nodes.lost(lost);
            case Command.NodeResponded responded -> nodes.responded(responded);
            case Command.NodeFault fault -> nodes.fault(fault);
            case Command.GrantLease grant -> nodes.lease(grant);
            case Command.AdvanceTime _ -> time.advance();
            case Command.LeaderTookOver _ -> time.beginAgain();
            case Command.BeginRecords(_, var identity) ->
                    record(tables.recording.begunAt(entry, identity));
            case Command.RecordsStored(_, var number, var address) ->
                    record(tables.recording.withStored(number, address));
        };
    }

    private Result record(Recording changed) {
        tables.recording = changed;
        return Result.DONE;
    }

    private Snapshot view() {
        return new Snapshot(
                tables.now,
                tables.site(),
                tables.jobs.publish(),
                tables.arrays.publish(),
                tables.credentials,
                tables.requests.table.publish(),
                new Snapshot.Marks(
                        tables.counters(events.last()),
                        earlier(
                                earlier(tables.usage.nextAlarm(), tables.reservations.nextAlarm()),
                                earlier(tables.index.nextAlarm(), nodes.nextEndOfLease())),
                        tables.recording));
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }
}
