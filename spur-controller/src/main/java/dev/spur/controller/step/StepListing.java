package dev.spur.controller.step;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.map.TimeLimitMapper;
import dev.spur.api.v1.ListStepsReply;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.api.v1.Step;
import dev.spur.controller.access.Caller;
import dev.spur.controller.job.Selectors;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.model.StepId;
import dev.spur.model.Tres;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

public final class StepListing {
    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;

    public StepListing(ReplicatedState state, Visibility visibility, InstantSource clock) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
    }

    public ListStepsReply list(ListStepsRequest request, Caller.Person caller) {
        var now = clock.instant();
        var ids = Selectors.parse(request.getIdsList());
        var users = Set.copyOf(request.getUsersList());
        var nodes = new HashSet<String>();
        nodes.addAll(Hostlist.parse(String.join(",", request.getNodesList())).hosts());
        var reply = ListStepsReply.newBuilder().setNowMicros(InstantMapper.toMicros(now));
        for (var job : state.snapshot().jobs()) {
            if (!job.hasNodes()
                    || !matches(request, users, job)
                    || visibility.of(job, caller) == Visibility.Sight.NOTHING) {
                continue;
            }
            job.steps().live().stream()
                    .filter(step -> ids.isEmpty() || isNamed(ids, job, step.id()))
                    .filter(step ->
                            nodes.isEmpty() || step.nodeNames().stream().anyMatch(nodes::contains))
                    .forEach(step -> reply.addSteps(view(job, step, now)));
        }
        return reply.build();
    }

    private static boolean matches(ListStepsRequest request, Set<String> users, Job job) {
        var owner = job.spec().owner();
        var placement = job.phase().placementOrNull();
        return (users.isEmpty()
                        || users.contains(owner.userName())
                        || users.contains(Integer.toUnsignedString(owner.uid())))
                && (request.getPartitionsCount() == 0
                        || (placement != null
                                && request.getPartitionsList().contains(placement.partition())));
    }

    private static boolean isNamed(Selectors ids, Job job, StepId step) {
        return ids.meaning(job).anyMatch(id -> id.step() == null || step.equals(id.step()));
    }

    private static Step view(Job job, dev.spur.engine.step.Step step, Instant now) {
        var owner = job.spec().owner();
        var view =
                Step.newBuilder()
                        .setJobId(job.id().value())
                        .setStepId(step.id().value())
                        .setName(step.name())
                        .setUid(owner.uid())
                        .setUserName(owner.userName())
                        .setNodeList(Hostlist.compress(step.nodeNames()))
                        .setNumNodes(step.nodes().size())
                        .setTasks(step.tasks())
                        .setCpus(step.cpus())
                        .setState(step.isEnded() ? "COMPLETED" : "RUNNING")
                        .setStartMicros(InstantMapper.toMicros(step.createdAt()))
                        .setTimeLimit(TimeLimitMapper.toWire(limit(job, step)))
                        .setTres(tres(step).toString())
                        .setStdOut(step.streams().stdOut())
                        .setStdErr(step.streams().stdErr())
                        .setStdIn(step.streams().stdIn())
                        .setRunSeconds(
                                Math.max(0, Duration.between(step.createdAt(), now).toSeconds()));
        var placement = job.phase().placementOrNull();
        if (placement != null) {
            view.setPartition(placement.partition());
        }
        var array = job.array();
        if (array != null) {
            view.setArrayJobId(array.array().value()).setArrayTaskId(array.tasks().min());
        }
        return view.build();
    }

    private static TimeLimit limit(Job job, dev.spur.engine.step.Step step) {
        var own = step.timeLimit();
        return own != null
                ? own
                : step.id().isReserved() ? job.terms().timeLimit() : TimeLimit.UNLIMITED;
    }

    private static Tres tres(dev.spur.engine.step.Step step) {
        var others = new TreeMap<String, Long>();
        var memory = 0L;
        for (var node : step.nodes()) {
            memory += node.share().memoryMebibytes();
            List.copyOf(node.share().gres())
                    .forEach(gres -> Tres.addGres(others, gres.name(), gres.type(), gres.count()));
        }
        return new Tres(step.cpus(), memory, step.nodes().size(), 0, others);
    }
}
