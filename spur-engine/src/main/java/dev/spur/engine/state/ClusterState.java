package dev.spur.engine.state;

import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The state machine. One thread applies commands and publishes; any thread may read what was
/// published.
///
/// What each command means is in the rules: [JobLifecycle], [JobActions], [JobArrays],
/// [DependencyRules], [StepRules], [NodeRules], [TimeRules].
public final class ClusterState {
    private static final int EVENTS_KEPT = 1 << 16;

    private final Tables tables;
    private final JobLifecycle lifecycle;
    private final JobActions actions;
    private final StepRules steps;
    private final NodeRules nodes;
    private final SiteConfig site;
    private final TimeRules time;
    private final EventLog events = new EventLog(EVENTS_KEPT);
    private volatile Snapshot published;

    public ClusterState() {
        this(new Tables());
    }

    ClusterState(Tables tables) {
        this.tables = tables;
        var arrays = new JobArrays(tables);
        var dependencies = new DependencyRules(tables, arrays);
        lifecycle = new JobLifecycle(tables, arrays, dependencies);
        dependencies.endsWith(lifecycle);
        actions = new JobActions(tables, arrays, lifecycle, dependencies);
        steps = new StepRules(tables, lifecycle);
        site = new SiteConfig(tables);
        nodes = new NodeRules(tables, lifecycle, site);
        time = new TimeRules(tables, lifecycle, dependencies, nodes);
        site.restore();
        published = view();
    }

    /// Folds one command into the state and tells what changed. Never throws: a command that no
    /// longer fits yields [Result.Ignored]. Called by the apply thread only; readers see it after
    /// [#publish].
    public Applied apply(Command command) {
        tables.revision++;
        tables.now = command.at().isAfter(tables.now) ? command.at() : tables.now;
        var result = command instanceof Command.Request request ? once(request) : act(command);
        var news = tables.takeNews();
        news.forEach(events::add);
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

    public EventLog events() {
        return events;
    }

    /// A request that was answered before gets the same answer and does nothing.
    private Result once(Command.Request request) {
        var id = request.requestId();
        var known = id.isEmpty() ? null : tables.requests.answerTo(id);
        if (known != null) {
            return known;
        }
        var result = act(request);
        // A step that found no room is asked for again with the same id.
        if (!id.isEmpty() && !(result instanceof Result.StepBusy)) {
            tables.requests.remember(id, tables.now, result);
        }
        return result;
    }

    private Result act(Command command) {
        return switch (command) {
            case Command.SubmitJob submit -> lifecycle.submit(submit);
            case Command.UpdateJobs update -> actions.update(update);
            case Command.HoldJobs hold -> actions.hold(hold);
            case Command.ReleaseJobs release -> actions.release(release);
            case Command.CancelJobs cancel -> actions.cancel(cancel);
            case Command.RequeueJobs requeue -> actions.requeue(requeue);
            case Command.SuspendJobs suspend -> actions.suspend(suspend);
            case Command.ResumeJobs resume -> actions.resume(resume);
            case Command.FinishAllocation finish -> lifecycle.finishAllocation(finish);
            case Command.CreateStep create -> steps.create(create);
            case Command.UpdateNodes update -> nodes.update(update);
            case Command.ApplyConfig apply -> site.apply(apply.config());
            case Command.CreateToken create -> changed(tables.credentials.with(create.token()));
            case Command.RevokeToken revoke -> revoke(revoke);
            case Command.CreateJoinToken create -> changed(tables.credentials.with(create.token()));
            case Command.RevokeCertificate revoke ->
                    changed(tables.credentials.withRevokedCertificate(revoke.serial()));
            case Command.UseJoinToken use -> use(use);
            case Command.StartJobs start -> lifecycle.start(start.starts());
            case Command.RememberPlan plan -> remember(plan);
            case Command.StepStarted report -> steps.started(report);
            case Command.StepEnded report -> steps.ended(report);
            case Command.JobGone report -> gone(report);
            case Command.LaunchFailed report -> lifecycle.launchFailed(report);
            case Command.RegisterNode register -> nodes.register(register);
            case Command.NodeLost lost -> nodes.lost(lost);
            case Command.NodeResponded responded -> nodes.responded(responded);
            case Command.AdvanceTime _ -> time.advance();
            case Command.AnnounceFeatureLevel announce ->
                    changed(tables.credentials.withFeatureLevel(announce.peer(), announce.level()));
            case Command.LeaderTookOver _ -> time.beginAgain();
        };
    }

    private Result gone(Command.JobGone report) {
        var job = tables.jobs.get(report.job().value());
        if (job == null || job.attempt() != report.attempt()) {
            return new Result.Ignored("the report is about an attempt that is over");
        }
        if (!(job.phase() instanceof JobPhase.Completing phase)) {
            return new Result.Ignored("job %s is not completing".formatted(job.id()));
        }
        lifecycle.gone(job, phase, report.node());
        return Result.DONE;
    }

    /// A plan is a note, not a change: it wakes nobody and calls for no new pass.
    private Result remember(Command.RememberPlan plan) {
        for (var expected : plan.jobs()) {
            var job = tables.jobs.get(expected.job().value());
            if (job != null && job.isPending() && job.queueing().eligibleAt() != null) {
                tables.put(
                        job.with(
                                new JobPhase.Pending(
                                        expected.reason(), expected.start(), expected.nodes())));
            }
        }
        return Result.DONE;
    }

    private Result revoke(Command.RevokeToken command) {
        var token = tables.credentials.tokens().get(command.id());
        if (token == null) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN, "no token has the id " + command.id());
        }
        if (command.actor().uid() != token.uid() && !command.actor().role().atLeast(Role.ADMIN)) {
            return Result.Refused.of(ErrorCode.ACCESS_DENIED);
        }
        return changed(tables.credentials.with(token.asRevoked()));
    }

    private Result use(Command.UseJoinToken command) {
        var token = tables.credentials.joinTokens().get(command.secretHash());
        if (token == null || token.expiresAt().isBefore(tables.now)) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN,
                    "the join token is not known or has expired. Make a new one");
        }
        if (token.isUsed() && !token.usedBy().equals(command.host())) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN, "the join token was used already. Make a new one");
        }
        if (!token.host().isEmpty() && !token.host().equals(command.host())) {
            return new Result.Refused(
                    ErrorCode.ACCESS_DENIED, "the join token is for host " + token.host());
        }
        return changed(tables.credentials.with(token.asUsedBy(command.host())));
    }

    private Result changed(Credentials credentials) {
        tables.credentials = credentials;
        tables.tell(new Event.CredentialsChanged());
        return Result.DONE;
    }

    private Snapshot view() {
        return new Snapshot(
                tables.now,
                tables.config,
                tables.jobs.publish(),
                tables.arrays.publish(),
                tables.nodes.publish(),
                tables.nodeIndex(),
                tables.nodeClasses(),
                tables.partitions,
                tables.credentials,
                tables.requests.table.publish(),
                tables.counters(),
                earlier(tables.index.nextAlarm(), nodes.nextEndOfLease()),
                events.written());
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }
}
