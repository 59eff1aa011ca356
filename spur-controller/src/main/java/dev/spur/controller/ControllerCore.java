package dev.spur.controller;

import dev.spur.controller.access.AccessInterceptor;
import dev.spur.controller.access.Authentication;
import dev.spur.controller.access.OverloadInterceptor;
import dev.spur.controller.admission.AdmissionService;
import dev.spur.controller.admission.HostAdmission;
import dev.spur.controller.agent.AgentLinkService;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.agent.SilenceWatch;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.ClusterInformation;
import dev.spur.controller.cluster.Reconfiguration;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.dispatch.Dispatcher;
import dev.spur.controller.dispatch.Launches;
import dev.spur.controller.job.GroupNames;
import dev.spur.controller.job.JobActions;
import dev.spur.controller.job.JobListing;
import dev.spur.controller.job.JobScripts;
import dev.spur.controller.job.JobSubmission;
import dev.spur.controller.job.JobTest;
import dev.spur.controller.job.JobWatch;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.node.NodeListing;
import dev.spur.controller.node.NodeUpdates;
import dev.spur.controller.partition.PartitionListing;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.scheduling.LastPass;
import dev.spur.controller.scheduling.SchedulingLoop;
import dev.spur.controller.scheduling.TimeKeeper;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.EventJournal;
import dev.spur.controller.state.JobsByNode;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.controller.step.StepCreation;
import dev.spur.controller.step.StepListing;
import dev.spur.controller.token.UserTokens;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.state.Result;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.Tokens;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything of a controller above its log and below its port. Log, clock, threads and transport
/// come from outside, so the same controller runs in a simulation.
public final class ControllerCore {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerCore.class);
    private static final int MOST_CALLS = 4_096;
    private static final int MOST_STREAMS = 40_000;

    private final Environment environment;
    private final Proposals proposals;
    private final Reconfiguration reconfiguration;
    private final JobsByNode jobsByNode = new JobsByNode();
    private final Agents agents;
    private final Launches launches;
    private final Dispatcher dispatcher;
    private final Visibility visibility;
    private final GroupNames groupNames;
    private final LastPass lastPass = new LastPass();
    private final JobWatch watch;
    private final HostAdmission admission;

    /// What a controller stands on.
    ///
    /// @param calls runs whatever waits: one task per call or message
    /// @param scheduler runs one task after the other
    public record Environment(
            ReplicatedState state,
            EventFeed feed,
            ReplicatedLog<Proposal, Result> log,
            BlobStore blobs,
            ClusterCa ca,
            LaunchCredentials credentials,
            Tokens tokens,
            Settings settings,
            RaftConfig raft,
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
        reconfiguration = new Reconfiguration(settings, proposals, state);
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
        visibility = new Visibility(() -> settings.current().controller().jobInfoVisibility());
        groupNames = new GroupNames(clock);
        watch = new JobWatch(state, visibility, clock, groupNames, lastPass);
        admission =
                new HostAdmission(
                        proposals,
                        state,
                        environment.ca(),
                        environment.raft().peers().stream()
                                .map(peer -> HostAndPort.parse(peer.clientAddress()))
                                .toList(),
                        host -> agents.disconnect(host, "the certificate was revoked"));
    }

    /// Begins to listen, and to do what the leader does whenever this is the leader.
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
        feed.subscribe(watch);
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
                        SchedulingLoop.Planner.of(new BackfillPass(schedulingBounds())),
                        lastPass,
                        environment.scheduler(),
                        timer,
                        environment.settings().current().scheduler().interval()));
        log.whileLeading(new TimeKeeper(state, feed, proposals, clock, timer));
        log.whileLeading(new SilenceWatch(agents, clock, timer));
        return configured;
    }

    private BackfillPass.Bounds schedulingBounds() {
        return BackfillPass.Bounds.ofJobs(
                environment.settings().current().scheduler().maxJobsPerCycle());
    }

    public List<BindableService> services() {
        var state = environment.state();
        var clock = environment.clock();
        var raft = environment.raft();
        var log = environment.log();
        var service =
                new ControllerService(
                        new ControllerService.Features(
                                new JobSubmission(proposals, state),
                                new JobTest(state, proposals, schedulingBounds()),
                                new JobListing(state, visibility, clock, groupNames, lastPass),
                                watch,
                                new JobActions(proposals, state, dispatcher),
                                new JobScripts(state, environment.blobs()),
                                new StepCreation(proposals, state, launches, log::leadership),
                                new StepListing(state, visibility, clock),
                                new NodeListing(state, agents, clock),
                                new NodeUpdates(proposals, state),
                                new PartitionListing(state, clock),
                                new ClusterInformation(
                                        state,
                                        environment.settings(),
                                        raft.peers(),
                                        log::leadership,
                                        raft.self().clientAddress(),
                                        environment.stateDirectory(),
                                        Controller.VERSION,
                                        clock.instant()),
                                reconfiguration,
                                new UserTokens(
                                        proposals,
                                        state,
                                        environment.tokens(),
                                        ControllerCore::account),
                                admission));
        return List.of(service, new AdmissionService(admission), new AgentLinkService(agents));
    }

    /// The first sees a call first.
    public List<ServerInterceptor> interceptors() {
        var authentication =
                new Authentication(
                        environment.settings()::roles,
                        environment.tokens(),
                        environment.state()::snapshot,
                        ControllerCore::account);
        return List.of(
                new OverloadInterceptor(MOST_CALLS, MOST_STREAMS),
                new AccessInterceptor(authentication, environment.log()::leadership));
    }

    public Agents agents() {
        return agents;
    }

    public Proposals proposals() {
        return proposals;
    }

    public Reconfiguration reconfiguration() {
        return reconfiguration;
    }

    private void apply(CompletableFuture<Void> configured) {
        try {
            reconfiguration.applyInitial();
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
