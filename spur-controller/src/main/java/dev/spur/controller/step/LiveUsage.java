package dev.spur.controller.step;

import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.NodePids;
import dev.spur.api.v1.StepOfJob;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.StepUsageNow;
import dev.spur.api.v1.UsageAnswer;
import dev.spur.api.v1.UsageOfStep;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.UsageMapper;
import dev.spur.controller.job.Selectors;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.step.Step;
import dev.spur.engine.step.TasksUsage;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.model.StepId;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What steps that run use now (sstat). Every node of theirs is asked once, whatever it runs of
/// them.
public final class LiveUsage {
    /// One node's part of a step counts as one.
    private static final int MOST_PARTS = 20_000;

    private final ReplicatedState state;
    private final Visibility visibility;
    private final Nodes nodes;

    /// The way to the nodes.
    public interface Nodes {
        /// @return empty if it does not answer in time
        CompletableFuture<Optional<UsageAnswer>> ask(
                String node, List<StepOfJob> steps, boolean pids);
    }

    /// A step that is asked about.
    private record Asked(Job job, Step step) {
        StepOfJob name() {
            return StepOfJob.newBuilder()
                    .setJobId(job.id().value())
                    .setAttempt(job.attempt())
                    .setStepId(step.id().value())
                    .build();
        }

        /// Where its part runs still.
        List<String> nodes() {
            var running = new ArrayList<String>();
            for (var i = 0; i < step.nodes().size(); i++) {
                if (!step.endedOn().contains(i)) {
                    running.add(step.nodes().get(i).node());
                }
            }
            return running;
        }
    }

    public LiveUsage(ReplicatedState state, Visibility visibility, Nodes nodes) {
        this.state = state;
        this.visibility = visibility;
        this.nodes = nodes;
    }

    public CompletableFuture<GetStepUsageReply> get(
            GetStepUsageRequest request, Caller.Person caller) {
        if (request.getIdsCount() == 0) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST, "say of which jobs or steps, as in 12 or 12.0");
        }
        var reply = GetStepUsageReply.newBuilder();
        var asked = find(request, caller, reply);
        var byNode = new LinkedHashMap<String, List<StepOfJob>>();
        for (var each : asked) {
            each.nodes()
                    .forEach(node ->
                            byNode.computeIfAbsent(node, _ -> new ArrayList<>()).add(each.name()));
        }
        if (byNode.values().stream().mapToInt(List::size).sum() > MOST_PARTS) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "these steps have more than %d parts on nodes; ask for fewer at a time"
                            .formatted(MOST_PARTS));
        }
        var answers = new HashMap<String, CompletableFuture<Optional<UsageAnswer>>>();
        byNode.forEach(
                (node, steps) -> answers.put(node, nodes.ask(node, steps, request.getPids())));
        return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                .thenApply(_ -> {
                    var told = new HashMap<String, Map<StepOfJob, UsageOfStep>>();
                    answers.forEach((node, answer) -> told.put(node, byStep(answer.join())));
                    asked.forEach(each -> reply.addSteps(now(each, told)));
                    return reply.build();
                });
    }

    /// In the order in which they are named.
    private List<Asked> find(
            GetStepUsageRequest request, Caller.Person caller, GetStepUsageReply.Builder reply) {
        var ids = Selectors.parse(request.getIdsList());
        var jobs = new HashMap<JobSelector, List<Job>>();
        for (var job : state.snapshot().jobs()) {
            if (visibility.of(job, caller) != Visibility.Sight.NOTHING) {
                ids.meaning(job)
                        .forEach(id -> jobs.computeIfAbsent(id, _ -> new ArrayList<>()).add(job));
            }
        }
        var asked = new ArrayList<Asked>();
        for (var id : ids.all()) {
            var meant = jobs.getOrDefault(id, List.of());
            var running =
                    meant.stream()
                            .flatMap(job -> steps(job, id.step(), request.getAllSteps()).stream())
                            .toList();
            if (meant.isEmpty()) {
                reply.addUnknown(id.toString());
            } else if (!meant.stream().allMatch(job -> mayAsk(job, caller))) {
                reply.addDenied(id.toString());
            } else if (running.isEmpty()) {
                reply.addIdle(id.toString());
            } else {
                asked.addAll(running);
            }
        }
        return asked;
    }

    private static boolean mayAsk(Job job, Caller.Person caller) {
        return job.spec().owner().uid() == caller.actor().uid() || caller.isAtLeast(Role.OPERATOR);
    }

    private static List<Asked> steps(Job job, @Nullable StepId wanted, boolean all) {
        if (!job.hasNodes()) {
            return List.of();
        }
        var running =
                job.steps().live().stream()
                        .filter(step -> !step.isEnded())
                        .filter(step -> wanted == null || step.id().equals(wanted))
                        .sorted(
                                Comparator.comparing((Step step) -> step.id().isReserved())
                                        .thenComparing(step -> !step.id().equals(StepId.BATCH))
                                        .thenComparingInt(step -> step.id().value()))
                        .toList();
        if (wanted == null && all) { // as sacct lists them: the script first
            return running.stream()
                    .sorted(Comparator.comparing((Step step) -> !step.id().isReserved()))
                    .map(step -> new Asked(job, step))
                    .toList();
        }
        return running.stream().limit(1).map(step -> new Asked(job, step)).toList();
    }

    private static Map<StepOfJob, UsageOfStep> byStep(Optional<UsageAnswer> answer) {
        var steps = new HashMap<StepOfJob, UsageOfStep>();
        answer.ifPresent(
                said -> said.getStepsList().forEach(step -> steps.put(step.getStep(), step)));
        return steps;
    }

    private static StepUsageNow now(Asked asked, Map<String, Map<StepOfJob, UsageOfStep>> told) {
        var step = asked.step();
        var view =
                StepUsageNow.newBuilder()
                        .setJobId(asked.job().id().value())
                        .setStepId(step.id().value())
                        .setNodeList(Hostlist.compress(step.nodeNames()));
        // What has ended on some nodes already counts, too.
        var sum = Used.ofEnded(step);
        for (var node : asked.nodes()) {
            var said = told.getOrDefault(node, Map.of()).get(asked.name());
            if (said == null) {
                view.addSilentNodes(node);
                continue;
            }
            var part = Used.of(said.getUsage(), step.position(node));
            sum = sum == null ? part : sum.plus(part);
            if (said.getPidsCount() > 0) {
                view.addPids(NodePids.newBuilder().setNode(node).addAllPids(said.getPidsList()));
            }
        }
        return sum == null ? view.build() : view.setUsage(sum.toWire(step)).build();
    }

    /// What the tasks on some nodes use.
    private record Used(int tasks, long userMicros, long systemMicros, TasksUsage perTask) {
        static @Nullable Used ofEnded(Step step) {
            var usage = step.progress().usage();
            var perTask = usage == null ? null : usage.perTask();
            return usage == null || perTask == null
                    ? null
                    : new Used(usage.tasks(), usage.userMicros(), usage.systemMicros(), perTask);
        }

        static Used of(StepUsage said, int position) {
            return new Used(
                    said.getTasks(),
                    said.getUserMicros(),
                    said.getSystemMicros(),
                    UsageMapper.toModel(said).at(position));
        }

        Used plus(Used other) {
            return new Used(
                    tasks + other.tasks,
                    userMicros + other.userMicros,
                    systemMicros + other.systemMicros,
                    perTask.plus(other.perTask));
        }

        StepUsage toWire(Step step) {
            return UsageMapper.toWire(step, tasks, userMicros, systemMicros, perTask);
        }
    }
}
