package dev.spur.controller;

import dev.spur.api.port.Connections;
import dev.spur.controller.access.AccessInterceptor;
import dev.spur.controller.access.Authentication;
import dev.spur.controller.access.BoundsInterceptor;
import dev.spur.controller.access.DiskGuard;
import dev.spur.controller.access.OverloadInterceptor;
import dev.spur.controller.account.AccountsService;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.accounting.SpoolGuard;
import dev.spur.controller.accounting.SpoolKeeper;
import dev.spur.controller.agent.AgentLinkService;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.agent.SilenceWatch;
import dev.spur.controller.blob.BlobKeeper;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cloud.CloudLinks;
import dev.spur.controller.cloud.CloudTokens;
import dev.spur.controller.cluster.ClusterInformation;
import dev.spur.controller.cluster.Reconfiguration;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.dispatch.Dispatcher;
import dev.spur.controller.dispatch.Launches;
import dev.spur.controller.job.GroupNames;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.JobExplanations;
import dev.spur.controller.job.JobListing;
import dev.spur.controller.job.JobScripts;
import dev.spur.controller.job.JobSignals;
import dev.spur.controller.job.JobSubmission;
import dev.spur.controller.job.JobTest;
import dev.spur.controller.job.JobWatch;
import dev.spur.controller.job.PlanListing;
import dev.spur.controller.job.UserGroups;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.joining.HostJoining;
import dev.spur.controller.joining.JoiningService;
import dev.spur.controller.member.Members;
import dev.spur.controller.member.PeersService;
import dev.spur.controller.node.NodeListing;
import dev.spur.controller.node.NodeUpdates;
import dev.spur.controller.partition.PartitionChanges;
import dev.spur.controller.partition.PartitionListing;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.reach.OutputReach;
import dev.spur.controller.reach.Reaches;
import dev.spur.controller.reach.StepReach;
import dev.spur.controller.record.Identification;
import dev.spur.controller.record.RecordLink;
import dev.spur.controller.record.RecordListing;
import dev.spur.controller.record.RecordsService;
import dev.spur.controller.reservation.ReservationChanges;
import dev.spur.controller.reservation.ReservationListing;
import dev.spur.controller.scheduling.Forecasts;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.scheduling.QueueOrder;
import dev.spur.controller.scheduling.SchedulingLoop;
import dev.spur.controller.scheduling.TimeKeeper;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.EventJournal;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.controller.statistics.CallCounts;
import dev.spur.controller.statistics.JobCounts;
import dev.spur.controller.statistics.PassCounts;
import dev.spur.controller.statistics.StatisticsService;
import dev.spur.controller.step.LiveUsage;
import dev.spur.controller.step.StepCreation;
import dev.spur.controller.step.StepListing;
import dev.spur.controller.token.UserTokens;
import dev.spur.controller.watch.Rows;
import dev.spur.controller.watch.Watches;
import dev.spur.engine.explanation.Explainer;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.state.Result;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.ControllerSecrets;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.Tokens;
import dev.spur.runtime.process.MemoryGuard;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything of a controller above its log and below its port. Log, clock, threads and transport
/// come from outside, so the same controller runs in a simulation.
public final class ControllerCore {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerCore.class);
    private static final String MEMORY_ADVICE =
            "no more jobs are taken until some have ended. Give the controller more with"
                    + " SPUR_CONTROLLER_HEAP, or lower controller.max_job_count";
    private static final Duration COLLECT_EVERY = Duration.ofMinutes(5);

    /// About a second, after which an explanation is what it is.
    private static final long EXPLANATION_LOOKS = 100_000_000;

    private static final Duration LOOK_AT_DISK_EVERY = Duration.ofSeconds(1);
    private static final Duration FORGET_RECORDS_EVERY = Duration.ofSeconds(10);

    private final Environment environment;
    private final Proposals proposals;
    private final Reconfiguration reconfiguration;
    private final JobsByNode jobsByNode = new JobsByNode();
    private final Agents agents;
    private final Launches launches;
    private final Dispatcher dispatcher;
    private final Visibility visibility;
    private final GroupNames groupNames;
    private final UserGroups userGroups;
    private final Plan plan;
    private final JobWatch watch;
    private final NodeListing nodes;
    private final Watches watches;
    private final Members members;
    private final HostJoining joining;
    private final Connections connections = new Connections();
    private final CallCounts calls = new CallCounts();
    private final JobCounts jobCounts = new JobCounts();
    private final PassCounts passes;
    private final DiskGuard disk;
    private final SpoolGuard spoolGuard;
    private final RecordLink records;

    /// What a controller stands on.
    ///
    /// @param trouble why no controller leads, if none does
    /// @param calls runs whatever waits: one task per call or message
    /// @param scheduler runs one task after the other
    public record Environment(
            ReplicatedState state,
            EventFeed feed,
            ReplicatedLog<Proposal, Result> log,
            BlobStore blobs,
            Spool spool,
            ClusterCa ca,
            LaunchCredentials credentials,
            Tokens tokens,
            Settings settings,
            Membership membership,
            Supplier<String> trouble,
            Path stateDirectory,
            InstantSource clock,
            Executor calls,
            Executor scheduler,
            ScheduledExecutorService timer) {}

    public ControllerCore(Environment environment) {
        this.environment = environment;
        var state = environment.state();
        var log = environment.log();
        var clock = environment.clock();
        var settings = environment.settings();
        proposals = new Proposals(log, state, clock);
        reconfiguration = new Reconfiguration(settings, proposals, state, environment.membership());
        agents =
                new Agents(
                        state,
                        proposals,
                        log::leadership,
                        environment.credentials(),
                        jobsByNode,
                        clock,
                        environment.calls(),
                        settings.current().controller().heartbeatTimeout());
        launches = new Launches(environment.blobs(), environment.credentials(), clock);
        dispatcher =
                new Dispatcher(
                        state,
                        environment.feed(),
                        agents,
                        launches,
                        jobsByNode,
                        proposals,
                        log::leadership,
                        clock);
        disk =
                DiskGuard.of(
                        environment.stateDirectory(),
                        () -> (long) settings.current().controller().diskReserveMb() << 20);
        spoolGuard =
                new SpoolGuard(
                        environment.spool(),
                        () -> state.snapshot().recording(),
                        () -> (long) settings.current().accounting().spoolMaxMb() << 20);
        records =
                new RecordLink(
                        environment.spool(),
                        environment.blobs(),
                        state,
                        proposals,
                        log::leadership,
                        clock,
                        environment.calls(),
                        environment.timer());
        visibility =
                new Visibility(
                        () -> state.snapshot().config().jobVisibility(),
                        () -> state.snapshot().accounts());
        groupNames = new GroupNames(clock);
        userGroups = new UserGroups(UserGroups.ofThisHost(groupNames), clock);
        plan = new Plan(state);
        passes = new PassCounts(SchedulingLoop.Planner.of(new BackfillPass(schedulingBounds())));
        watch = new JobWatch(state, visibility, clock, groupNames, plan, environment.calls());
        nodes = new NodeListing(state, agents, plan::keptFree, clock);
        watches =
                new Watches(
                        state,
                        new Rows(visibility, clock, groupNames, plan, nodes),
                        plan,
                        clock,
                        environment.calls(),
                        environment.timer());
        members =
                new Members(
                        environment.membership(),
                        proposals,
                        state,
                        () -> ControllerSecrets.read(environment.stateDirectory()));
        joining =
                new HostJoining(
                        proposals,
                        state,
                        environment.ca(),
                        members,
                        host -> agents.disconnect(host, "the certificate was revoked"),
                        environment.credentials());
    }

    /// Begins to listen, to collect old scripts, and to do what the leader does whenever this is
    /// the leader.
    ///
    /// @return completed when the configuration is in force, for the first time
    public CompletableFuture<Void> lead() {
        var state = environment.state();
        var feed = environment.feed();
        var log = environment.log();
        var clock = environment.clock();
        var timer = environment.timer();
        feed.subscribe(new EventJournal());
        feed.subscribe(jobsByNode);
        feed.subscribe(jobCounts);
        feed.subscribe(watch);
        feed.subscribe(watches);
        feed.subscribe(records);
        proposals.keepPatience(timer);
        chore(
                        "collecting old scripts",
                        new BlobKeeper(environment.blobs(), environment.spool(), state::snapshot))
                .every(COLLECT_EVERY, COLLECT_EVERY, timer);
        chore("looking for room on the disk", disk::look)
                .every(LOOK_AT_DISK_EVERY, Duration.ZERO, timer);
        chore("looking how many accounting records wait", spoolGuard::look)
                .every(LOOK_AT_DISK_EVERY, Duration.ZERO, timer);
        chore(
                        "forgetting accounting records",
                        new SpoolKeeper(environment.spool(), () -> state.snapshot().recording()))
                .every(FORGET_RECORDS_EVERY, FORGET_RECORDS_EVERY, timer);
        var configured = new CompletableFuture<Void>();
        log.whileLeading(_ -> {
            apply(configured);
            return () -> {};
        });
        log.whileLeading(dispatcher);
        log.whileLeading(
                new SchedulingLoop(
                        state,
                        feed,
                        proposals,
                        passes,
                        plan,
                        environment.scheduler(),
                        timer,
                        environment.settings().current().scheduler().interval()));
        log.whileLeading(new TimeKeeper(state, feed, proposals, clock, timer));
        log.whileLeading(new SilenceWatch(agents, clock, timer));
        log.whileLeading(records);
        log.whileLeading(watches);
        return configured;
    }

    private Chore chore(String name, Runnable work) {
        return new Chore(name, work, environment.calls());
    }

    private BackfillPass.Bounds schedulingBounds() {
        return BackfillPass.Bounds.ofJobs(
                environment.settings().current().scheduler().maxJobsPerCycle());
    }

    public List<BindableService> services() {
        var state = environment.state();
        var clock = environment.clock();
        var log = environment.log();
        var reaches = new Reaches(environment.credentials(), clock);
        var service =
                new ControllerService(
                        new ControllerService.Features(
                                new JobSubmission(
                                        proposals, state, userGroups, environment.calls()),
                                new JobTest(
                                        state,
                                        proposals,
                                        new Forecasts(state, schedulingBounds()),
                                        userGroups),
                                new JobListing(state, visibility, clock, groupNames, plan),
                                watch,
                                new JobActions(
                                        proposals,
                                        state,
                                        new JobSignals(state, agents),
                                        userGroups),
                                new JobScripts(state, environment.blobs()),
                                new PlanListing(
                                        state, visibility, clock, plan, new QueueOrder(state)),
                                new JobExplanations(
                                        state,
                                        proposals,
                                        visibility,
                                        userGroups,
                                        plan,
                                        new Explainer(schedulingBounds(), EXPLANATION_LOOKS)),
                                watches,
                                new StepCreation(proposals, state, launches, log::leadership),
                                new StepListing(state, visibility, clock),
                                new LiveUsage(state, visibility, agents::askUsage),
                                new OutputReach(state, visibility, plan, reaches),
                                new StepReach(state, visibility, reaches),
                                nodes,
                                new NodeUpdates(proposals, state),
                                new PartitionListing(state, clock),
                                new PartitionChanges(proposals),
                                new ReservationListing(state, clock),
                                new ReservationChanges(proposals, state),
                                new ClusterInformation(
                                        state,
                                        environment.settings(),
                                        environment.membership(),
                                        environment.trouble(),
                                        clock,
                                        environment.stateDirectory(),
                                        Controller.VERSION,
                                        spoolGuard::trouble),
                                reconfiguration,
                                new UserTokens(
                                        proposals,
                                        state,
                                        environment.tokens(),
                                        ControllerCore::account),
                                new CloudTokens(
                                        state,
                                        environment.tokens(),
                                        () -> environment.settings().roles(state.snapshot()),
                                        ControllerCore::account),
                                new CloudLinks(proposals, state),
                                joining,
                                members));
        return List.of(
                service,
                new AccountsService(
                        proposals,
                        state,
                        visibility,
                        clock,
                        new RecordListing(state, visibility, clock, groupNames)),
                new StatisticsService(state, clock, calls, passes, jobCounts),
                new JoiningService(joining),
                new PeersService(members),
                new AgentLinkService(agents),
                new RecordsService(records, new Identification(authentication(), state::snapshot)));
    }

    private Authentication authentication() {
        return new Authentication(
                () -> environment.settings().roles(environment.state().snapshot()),
                environment.tokens(),
                environment.state()::snapshot,
                ControllerCore::account);
    }

    /// The first sees a call first.
    public List<ServerInterceptor> interceptors() {
        return List.of(
                new AccessInterceptor(
                        authentication(),
                        environment.log()::leadership,
                        environment.trouble(),
                        MemoryGuard.ofThisProcess(environment.clock(), MEMORY_ADVICE),
                        connections,
                        disk,
                        spoolGuard),
                calls,
                OverloadInterceptor.sweptBy(environment.timer(), environment.clock(), connections),
                new BoundsInterceptor());
    }

    /// Told by the port who comes and goes.
    Connections connections() {
        return connections;
    }

    public Members members() {
        return members;
    }

    public Agents agents() {
        return agents;
    }

    public Proposals proposals() {
        return proposals;
    }

    public Plan plan() {
        return plan;
    }

    public Reconfiguration reconfiguration() {
        return reconfiguration;
    }

    private void apply(CompletableFuture<Void> configured) {
        try {
            reconfiguration.begin();
            configured.complete(null);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the configuration could not be applied");
            configured.completeExceptionally(e);
        }
    }

    private static Optional<Authentication.Account> account(String name) {
        return Users.byName(name)
                .map(user ->
                        new Authentication.Account(
                                (int) user.uid(), (int) user.gid(), user.name()));
    }
}
