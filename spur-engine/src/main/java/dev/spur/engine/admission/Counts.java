package dev.spur.engine.admission;

import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.demand.Demand.GresDemand;
import dev.spur.model.ErrorCode;
import dev.spur.model.ResourceRequest;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// How many nodes, tasks and devices a request means together.
///
/// Devices per job, per node and per task are not amounts to add up but conditions on the same
/// devices: from two of them follows how many nodes or tasks there are, and what contradicts them
/// is refused, as Slurm does (sbatch(1), `--gpus`, `--gpus-per-node`, `--gpus-per-task`,
/// `--ntasks-per-gpu`, `--cpus-per-gpu`). Counts of zero are not given.
final class Counts {
    private static final String GPU = "gpu";

    int minNodes;
    int maxNodes;
    long tasks;
    int tasksPerNode;
    int cpusPerTask;
    List<GresDemand> perNode;
    List<GresDemand> perJob;
    List<GresDemand> perTask;
    private final int cpusPerGpu;
    private final int tasksPerGpu;

    /// One kind of device; an empty type is any.
    private record Kind(String name, String type) {
        boolean isGpu() {
            return name.equals(GPU);
        }
    }

    Counts(
            ResourceRequest request,
            List<GresDemand> perNode,
            List<GresDemand> perJob,
            List<GresDemand> perTask) {
        minNodes = request.minNodes();
        maxNodes = request.maxNodes();
        tasks = request.tasks();
        tasksPerNode = request.tasksPerNode();
        tasksPerGpu = request.tasksPerGpu();
        cpusPerTask = request.cpusPerTask();
        cpusPerGpu = request.cpusPerGpu();
        this.perNode = perNode;
        this.perJob = perJob;
        this.perTask = perTask;
    }

    /// Afterwards every kind of device is counted in one way only.
    void combine() {
        agreeOnTypes();
        if (tasksPerGpu > 0) {
            countTasksByGpus();
        }
        kinds().forEach(this::combine);
    }

    private List<Kind> kinds() {
        var kinds = new LinkedHashSet<Kind>();
        for (var list : List.of(perJob, perNode, perTask)) {
            list.forEach(item -> kinds.add(new Kind(item.name(), item.type())));
        }
        return List.copyOf(kinds);
    }

    /// `--gpus=mi300x:8 --gpus-per-task=2`: the type holds for all of them.
    private void agreeOnTypes() {
        for (var kind : kinds()) {
            var typed =
                    kinds().stream()
                            .filter(other -> other.name.equals(kind.name) && !other.type.isEmpty())
                            .toList();
            if (kind.type.isEmpty() && !typed.isEmpty()) {
                if (typed.size() > 1) {
                    throw contradiction("devices of several types, and some of none");
                }
                var type = typed.getFirst().type;
                perJob = ofType(perJob, kind, type);
                perNode = ofType(perNode, kind, type);
                perTask = ofType(perTask, kind, type);
            }
        }
    }

    private static List<GresDemand> ofType(List<GresDemand> list, Kind kind, String type) {
        return list.stream()
                .map(item ->
                        item.name().equals(kind.name) && item.type().isEmpty()
                                ? new GresDemand(item.name(), type, item.count())
                                : item)
                .toList();
    }

    private void countTasksByGpus() {
        if (count(perTask) > 0) {
            throw contradiction("--ntasks-per-gpu is mutually exclusive with --gpus-per-task");
        }
        var ofJob = count(perJob);
        var ofNode = count(perNode);
        if (ofJob == 0 && ofNode == 0) {
            if (tasks == 0) {
                throw contradiction("--ntasks-per-gpu needs a number of GPUs or of tasks");
            }
            var gpus = (tasks + tasksPerGpu - 1) / tasksPerGpu;
            perJob = with(perJob, new GresDemand(GPU, "", gpus));
            return;
        }
        var nodes = ofJob > 0 && ofNode > 0 ? ofJob / ofNode : Math.max(1, minNodes);
        var all = (ofJob > 0 ? ofJob : nodes * ofNode) * tasksPerGpu;
        if (tasks > all) {
            throw contradiction(
                    Text.of("the GPUs and --ntasks-per-gpu are for %d tasks, not %d", all, tasks));
        }
        tasks = tasks > 0 ? tasks : all;
        if (ofNode > 0 && tasksPerNode == 0) {
            tasksPerNode = Math.clamp(ofNode * tasksPerGpu, 1, Integer.MAX_VALUE);
        }
    }

    private static List<GresDemand> with(List<GresDemand> list, GresDemand item) {
        var more = new ArrayList<>(list);
        more.add(item);
        return List.copyOf(more);
    }

    private void combine(Kind kind) {
        var ofJob = count(perJob, kind);
        var ofNode = count(perNode, kind);
        var ofTask = count(perTask, kind);
        checkWhole("--gpus", ofJob, "--gres=gpu/--gpus-per-node", ofNode);
        checkWhole("--gpus", ofJob, "--gpus-per-task", ofTask);
        checkWhole("--gres=gpu/--gpus-per-node", ofNode, "--gpus-per-task", ofTask);
        if (ofJob > 0 && ofNode > 0) {
            setNodes(ofJob / ofNode);
            perJob = without(perJob, kind);
        }
        if (ofJob > 0 && ofTask > 0) {
            setTasks(ofJob / ofTask);
            perJob = without(perJob, kind);
        }
        if (ofNode > 0 && ofTask > 0) {
            setTasksPerNode(ofNode / ofTask);
            perTask = without(perTask, kind);
        }
        if (kind.isGpu() && ofTask > 0 && cpusPerGpu > 0) {
            setCpusPerTask(ofTask * cpusPerGpu);
        }
        if (ofJob > 0 && ofJob < minNodes) {
            throw contradiction("--gpus < -N");
        }
    }

    /// The smaller count goes into the larger one, as far as both are given.
    private static void checkWhole(String larger, long count, String smaller, long divisor) {
        if (count > 0 && divisor > 0 && count % divisor != 0) {
            throw contradiction(larger + (count < divisor ? " < " : " not multiple of ") + smaller);
        }
    }

    private void setNodes(long count) {
        if (count < minNodes || (maxNodes > 0 && count > maxNodes)) {
            throw contradiction(
                    Text.of(
                            "--gpus and --gres=gpu/--gpus-per-node require %d nodes, which is not between %d and %d",
                            count, minNodes, maxNodes));
        }
        minNodes = Math.clamp(count, 1, Integer.MAX_VALUE);
        maxNodes = minNodes;
    }

    private void setTasks(long count) {
        if (tasks > 0 && tasks != count) {
            throw contradiction(
                    Text.of(
                            "--gpus and --gpus-per-task require %d tasks, -n/--ntasks is %d",
                            count, tasks));
        }
        tasks = count;
    }

    private void setTasksPerNode(long count) {
        if (tasksPerNode > 0 && tasksPerNode != count || maxNodes > 0 && tasks > count * maxNodes) {
            throw contradiction(
                    Text.of(
                            "--gres=gpu/--gpus-per-node and --gpus-per-task require %d tasks per node",
                            count));
        }
        tasksPerNode = Math.clamp(count, 1, Integer.MAX_VALUE);
    }

    private void setCpusPerTask(long count) {
        if (cpusPerTask > 0 && cpusPerTask != count) {
            throw contradiction("--cpus-per-gpu is mutually exclusive with --cpus-per-task");
        }
        cpusPerTask = Math.clamp(count, 1, Integer.MAX_VALUE);
    }

    private static long count(List<GresDemand> list, Kind kind) {
        return list.stream()
                .filter(item -> item.name().equals(kind.name) && item.type().equals(kind.type))
                .mapToLong(GresDemand::count)
                .sum();
    }

    /// GPUs of all types.
    private static long count(List<GresDemand> list) {
        return list.stream()
                .filter(item -> item.name().equals(GPU))
                .mapToLong(GresDemand::count)
                .sum();
    }

    private static List<GresDemand> without(List<GresDemand> list, Kind kind) {
        return list.stream()
                .filter(item -> !item.name().equals(kind.name) || !item.type().equals(kind.type))
                .toList();
    }

    private static RefusedException contradiction(String what) {
        return new RefusedException(ErrorCode.INVALID_GRES, "Failed to validate job spec, " + what);
    }
}
