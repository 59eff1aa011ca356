package dev.spur.controller.job;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.map.NodeShareMapper;
import dev.spur.api.map.ResourceRequestMapper;
import dev.spur.api.map.TimeLimitMapper;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.controller.scheduling.Plan;
import dev.spur.engine.demand.Demand;
import dev.spur.engine.demand.Feasibility;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.job.JobTres;
import dev.spur.engine.layout.TaskLayout;
import dev.spur.engine.node.Node;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Outcome;
import dev.spur.model.Placement;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A job as its viewers see it. Made for listings of 50,000: a field that has its default is not
/// touched.
public final class JobView {
    private final Snapshot snapshot;
    private final Instant now;
    private final JobDetail detail;
    private final IntFunction<String> groupNames;
    private final Plan plan;

    public JobView(
            Snapshot snapshot,
            Instant now,
            JobDetail detail,
            IntFunction<String> groupNames,
            Plan plan) {
        this.snapshot = snapshot;
        this.now = now;
        this.detail = detail;
        this.groupNames = groupNames;
        this.plan = plan;
    }

    public Job.Builder of(dev.spur.engine.job.Job job, Visibility.Sight sight) {
        var view = Job.newBuilder();
        var spec = job.spec();
        var terms = job.terms();
        var owner = spec.owner();
        var phase = job.phase();
        var placement = phase.placementOrNull();
        var reason = plan.reasonOf(job);
        view.setJobId(job.id().value())
                .setName(spec.name())
                .setUid(owner.uid())
                .setUserName(owner.userName())
                .setState(job.state().name())
                .setBaseState(phase.baseState().name())
                .setReason(reason.word())
                .setPriority((int) PriorityPolicy.of(snapshot).shown(job, snapshot, now))
                .setTimeLimit(TimeLimitMapper.toWire(terms.timeLimit()));
        if (!reason.beside().isEmpty()) {
            view.setReasonDetail(reason.beside());
        }
        setArray(job, view);
        setPlace(job, placement, view);
        setTimes(job, view);
        if (detail == JobDetail.JOB_DETAIL_QUEUE) {
            return view;
        }
        view.setNumTasks(tasks(terms.demand(), placement))
                .setSubmitMicros(InstantMapper.toMicros(job.submittedAt()))
                .setEligibleMicros(InstantMapper.toMicros(job.queueing().eligibleAt()))
                .setRestarts(job.attempts().restarts())
                .setBatch(spec.isBatch())
                .setRequest(listedRequest(job));
        setText(job, view);
        setOutcome(phase, view);
        if (sight == Visibility.Sight.ALL) {
            setPrivate(job, view);
        }
        if (detail == JobDetail.JOB_DETAIL_FULL) {
            setDetails(job, placement, sight, view);
        }
        return view;
    }

    private static void setText(dev.spur.engine.job.Job job, Job.Builder view) {
        var spec = job.spec();
        var charge = job.terms().charge();
        if (!charge.account().isEmpty()) {
            view.setAccount(charge.account());
        }
        if (!charge.qosName().isEmpty()) {
            view.setQos(charge.qosName());
        }
        if (!job.queueing().dependencies().isEmpty()) {
            view.setDependency(job.queueing().dependencies().toString());
        }
        if (!spec.reservation().isEmpty()) {
            view.setReservation(spec.reservation());
        }
        if (!spec.licenses().isEmpty()) {
            view.setLicenses(String.join(",", spec.licenses()));
        }
        if (!spec.notes().wckey().isEmpty()) {
            view.setWckey(spec.notes().wckey());
        }
        if (spec.request().contiguous()) {
            view.setContiguous(true);
        }
        if (!spec.request().gresPerNode().isEmpty()) {
            view.setTresPerNode(tresPerNode(spec.request().gresPerNode()));
        }
    }

    private void setArray(dev.spur.engine.job.Job job, Job.Builder view) {
        var array = job.array();
        if (array == null) {
            return;
        }
        view.setArrayJobId(array.array().value());
        array.tasks().throttle().ifPresent(view::setArrayThrottle);
        if (array.split()) {
            view.setArrayTaskId(array.tasks().min());
        } else {
            view.setArrayPending(array.tasks().toString());
        }
        if (detail == JobDetail.JOB_DETAIL_FULL) {
            snapshot.array(array.array())
                    .ifPresent(ledger -> view.setArrayTaskString(ledger.spec().toString()));
        }
    }

    private static int tasks(Demand demand, @Nullable Placement placement) {
        return placement == null ? demand.tasks() : demand.tasksOn(placement.nodes().size());
    }

    private void setPlace(
            dev.spur.engine.job.Job job, @Nullable Placement placement, Job.Builder view) {
        var demand = job.terms().demand();
        if (placement == null) {
            view.setPartition(String.join(",", job.terms().partitions()))
                    .setNumNodes(leastNodes(job))
                    .setNumCpus((int) demand.cpus());
            return;
        }
        var nodes = placement.nodes();
        view.setPartition(placement.partition())
                .setNodeList(
                        nodes.size() == 1
                                ? nodes.getFirst().node()
                                : Hostlist.compress(placement.nodeNames()))
                .setBatchHost(placement.first().node())
                .setNumNodes(nodes.size())
                .setNumCpus(placement.cpus());
    }

    /// As many as it will have at least when it starts.
    private int leastNodes(dev.spur.engine.job.Job job) {
        var demand = job.terms().demand();
        return snapshot.partition(job.terms().partitions().getFirst())
                .map(partition -> Feasibility.leastNodes(snapshot, partition, demand))
                .orElse(demand.minNodes());
    }

    private void setTimes(dev.spur.engine.job.Job job, Job.Builder view) {
        switch (job.phase()) {
            case JobPhase.Pending _ -> {
                var wait = plan.of(job);
                var start = wait == null ? job.queueing().notBefore() : wait.expectedStart();
                if (start != null) {
                    view.setStartMicros(InstantMapper.toMicros(start));
                    if (job.terms().timeLimit() instanceof TimeLimit.Limited limit) {
                        view.setEndMicros(InstantMapper.toMicros(start.plus(limit.duration())));
                    }
                }
            }
            case JobPhase.Running running ->
                    setRun(view, running.since(), running.deadline(), job.runTime(now).toSeconds());
            case JobPhase.Suspended suspended ->
                    setRun(
                            view,
                            suspended.since(),
                            suspended.deadline(),
                            job.runTime(now).toSeconds());
            case JobPhase.Completing completing ->
                    setRun(
                            view,
                            completing.since(),
                            completing.endedAt(),
                            job.runTime(now).toSeconds());
            case JobPhase.Ended ended ->
                    setRun(
                            view,
                            ended.since() == null ? ended.endedAt() : ended.since(),
                            ended.endedAt(),
                            job.runTime(now).toSeconds());
        }
    }

    private static void setRun(
            Job.Builder view, Instant since, @Nullable Instant end, long seconds) {
        view.setStartMicros(InstantMapper.toMicros(since))
                .setEndMicros(InstantMapper.toMicros(end))
                .setRunSeconds(Math.max(0, seconds));
    }

    private static void setOutcome(JobPhase phase, Job.Builder view) {
        var outcome = outcome(phase);
        if (outcome != null) {
            view.setExitCode(outcome.exit().code()).setExitSignal(outcome.exit().signal());
        }
    }

    private static @Nullable Outcome outcome(JobPhase phase) {
        return switch (phase) {
            case JobPhase.Completing completing -> completing.outcome();
            case JobPhase.Ended ended -> ended.outcome();
            case JobPhase.Pending _, JobPhase.Running _, JobPhase.Suspended _ -> null;
        };
    }

    /// What only the owner and operators see when other people's jobs are redacted.
    private static void setPrivate(dev.spur.engine.job.Job job, Job.Builder view) {
        var launch = job.spec().launch();
        view.setWorkDir(launch.workDir());
        if (!launch.command().isEmpty()) {
            view.setCommand(launch.command());
        }
        if (!job.spec().notes().comment().isEmpty()) {
            view.setComment(job.spec().notes().comment());
        }
    }

    private void setDetails(
            dev.spur.engine.job.Job job,
            @Nullable Placement placement,
            Visibility.Sight sight,
            Job.Builder view) {
        var spec = job.spec();
        var demand = job.terms().demand();
        view.setGid(spec.owner().gid())
                .setGroupName(groupNames.apply(spec.owner().gid()))
                .setNice(spec.nice())
                .setMaxNodes(
                        spec.request().minNodes() > 0
                                ? Math.max(demand.maxNodes(), spec.request().maxNodes())
                                : 0)
                .setLastSchedEvalMicros(InstantMapper.toMicros(plan.lookedAt(job)))
                .setRequest(shownRequest(job))
                .setRequeue(job.terms().requeue())
                .setHeld(job.queueing().isHeld())
                .setAttempt(job.attempt())
                .setAccrueMicros(InstantMapper.toMicros(job.queueing().eligibleAt()));
        var worst = job.steps().worst();
        view.setDerivedExitCode(worst.code()).setDerivedExitSignal(worst.signal());
        if (!spec.request().gresPerJob().isEmpty()) {
            view.setTresPerJob(tresPerNode(spec.request().gresPerJob()));
        }
        setTres(job, view);
        if (placement != null) {
            var tasks = TaskLayout.ofJob(placement, demand);
            for (var i = 0; i < tasks.length; i++) {
                var share = placement.nodes().get(i);
                view.addNodes(NodeShareMapper.toWire(share, tasks[i], address(share.node())));
            }
        }
        var wait = plan.of(job);
        if (wait != null) {
            view.setSchedNodes(wait.expectedNodes());
        }
        if (job.phase() instanceof JobPhase.Suspended suspended) {
            view.setSuspendMicros(InstantMapper.toMicros(suspended.at()))
                    .setPreSuspendSeconds(job.runTime(now).toSeconds());
        }
        if (sight == Visibility.Sight.ALL) {
            view.setSpec(JobSpecMapper.toWire(spec));
            setFiles(job, view);
        }
    }

    private static dev.spur.api.v1.ResourceRequest listedRequest(dev.spur.engine.job.Job job) {
        var request = ResourceRequestMapper.toListing(job.spec().request()).toBuilder();
        return withMemory(request, job.terms().demand()).build();
    }

    private static dev.spur.api.v1.ResourceRequest shownRequest(dev.spur.engine.job.Job job) {
        var demand = job.terms().demand();
        var request =
                withMemory(ResourceRequestMapper.toWire(job.spec().request()).toBuilder(), demand);
        return request.setTasks(tasks(demand, job.phase().placementOrNull()))
                .setCpusPerTask(demand.cpusPerTask())
                .setMinCpusPerNode(demand.minCpusPerNode())
                .build();
    }

    /// With the memory that the partition's default filled in: Slurm shows what the job gets.
    private static dev.spur.api.v1.ResourceRequest.Builder withMemory(
            dev.spur.api.v1.ResourceRequest.Builder request, Demand demand) {
        request.clearMemPerNodeMb().clearMemPerCpuMb().clearMemPerGpuMb();
        ResourceRequestMapper.setMemory(request, demand.memory());
        return request;
    }

    private static void setTres(dev.spur.engine.job.Job job, Job.Builder view) {
        var tres = JobTres.of(job);
        view.setTres(tres.toString()).setMemTotalMb(tres.memoryMebibytes());
        if (job.phase().placementOrNull() != null) {
            view.setTresAlloc(tres.toString());
        }
    }

    private String address(String node) {
        return snapshot.node(node).map(Node::address).orElse("");
    }

    private static void setFiles(dev.spur.engine.job.Job job, Job.Builder view) {
        var spec = job.spec();
        if (!spec.isBatch()) {
            return;
        }
        view.setStdOut(JobFiles.output(job))
                .setStdErr(JobFiles.error(job))
                .setStdIn(JobFiles.input(job));
    }

    private static String tresPerNode(String gres) {
        try {
            return GresRequest.parse(gres).toTresPerNode();
        } catch (NotationException e) {
            return gres;
        }
    }
}
