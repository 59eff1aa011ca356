package dev.spur.engine.scheduling;

import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Demand.GresDemand;
import dev.spur.model.MemoryRequest;
import dev.spur.model.NodeShape;
import java.util.List;

/// How many tasks of a demand a node can take, from what is free of it. The one place that knows
/// what fits; admission asks it about empty nodes, the scheduler about nodes at some time.
public final class TaskRoom {
    private TaskRoom() {}

    /// Whether nodes of this shape and with these features may serve the demand at all.
    public static boolean suits(Demand demand, NodeShape shape, List<String> features) {
        return shape.tmpDiskMebibytes() >= demand.tmpDiskMebibytes()
                && shape.sockets() >= demand.socketsPerNode()
                && shape.coresPerSocket() >= demand.coresPerSocket()
                && shape.threadsPerCore() >= demand.threadsPerCore()
                && (demand.features().isEmpty()
                        || demand.features().stream().anyMatch(features::containsAll));
    }

    /// How many tasks an empty node of this shape takes.
    public static int whole(Demand demand, NodeShape shape) {
        return tasks(demand, shape, shape.cpus(), shape.memoryMebibytes(), counts(shape));
    }

    /// Whether an empty node of this shape has the devices that the demand wants on each node.
    public static boolean hasDevices(Demand demand, NodeShape shape) {
        var free = counts(shape);
        return take(free, shape, demand.gresPerNode(), 1)
                && take(free, shape, demand.gresPerTask(), 1);
    }

    /// The free devices of an empty node, one number for each kind of its shape.
    static long[] counts(NodeShape shape) {
        return shape.gres().stream().mapToLong(gres -> gres.count()).toArray();
    }

    /// 0 if it can take none; never more than the demand has.
    public static int tasks(Demand demand, NodeShape shape, int cpus, long memory, long[] gres) {
        if (cpus < Math.max(1, demand.minCpusPerNode())
                || demand.exclusive() && cpus < shape.cpus()) {
            return 0;
        }
        var left = gres;
        if (!demand.gresPerNode().isEmpty()) {
            left = gres.clone();
            if (!take(left, shape, demand.gresPerNode(), 1)) {
                return 0;
            }
        }
        for (var wanted : demand.gresPerJob()) {
            if (count(left, shape, wanted) == 0) {
                return 0;
            }
        }
        var gpus = gpus(demand, 0);
        if (demand.cpusPerGpu() > 0 && cpus < gpus * demand.cpusPerGpu()) {
            return 0;
        }
        long tasks = demand.overcommit() ? demand.tasks() : cpus / demand.cpusPerTask();
        tasks = Math.min(tasks, demand.tasks());
        if (demand.tasksPerNode() > 0) {
            tasks = Math.min(tasks, demand.tasksPerNode());
        }
        for (var wanted : demand.gresPerTask()) {
            tasks = Math.min(tasks, count(left, shape, wanted) / wanted.count());
        }
        if (demand.cpusPerGpu() > 0 && gpus(demand, 1) > gpus) {
            tasks = Math.min(tasks, cpus / (demand.cpusPerGpu() * (gpus(demand, 1) - gpus)));
        }
        return (int) withMemory(demand, shape, memory, tasks);
    }

    /// So many of the tasks have memory too.
    private static long withMemory(Demand demand, NodeShape shape, long memory, long tasks) {
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _ -> tasks;
            case MemoryRequest.WholeNode _ -> memory >= shape.memoryMebibytes() ? tasks : 0;
            case MemoryRequest.PerNode(var amount) -> memory >= amount ? tasks : 0;
            case MemoryRequest.PerCpu(var amount) -> {
                var most = tasks;
                while (most > 0 && cpus(demand, shape, (int) most) * amount > memory) {
                    var fitting = memory / amount / demand.cpusPerTask();
                    most = Math.min(most - 1, Math.max(fitting, 0));
                }
                yield most;
            }
            case MemoryRequest.PerGpu(var amount) -> {
                var most = tasks;
                while (most > 0 && gpus(demand, (int) most) * amount > memory) {
                    most--;
                }
                yield most;
            }
        };
    }

    /// CPUs that so many tasks take on a node: whole cores.
    static long cpus(Demand demand, NodeShape shape, int tasks) {
        if (demand.exclusive()) {
            return shape.cpus();
        }
        var wanted = demand.overcommit() ? 1L : (long) tasks * demand.cpusPerTask();
        wanted = Math.max(wanted, demand.minCpusPerNode());
        wanted = Math.max(wanted, (long) gpus(demand, tasks) * demand.cpusPerGpu());
        var core = shape.cpusPerCore();
        return Math.min(shape.cpus(), (wanted + core - 1) / core * core);
    }

    /// Memory that so many tasks take on a node.
    static long memory(Demand demand, NodeShape shape, int tasks) {
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _ -> 0;
            case MemoryRequest.WholeNode _ -> shape.memoryMebibytes();
            case MemoryRequest.PerNode(var amount) -> amount;
            case MemoryRequest.PerCpu(var amount) -> amount * taskCpus(demand, shape, tasks);
            case MemoryRequest.PerGpu(var amount) -> amount * gpus(demand, tasks);
        };
    }

    /// An exclusive job has all CPUs of its nodes but pays memory only for those it asked for.
    private static long taskCpus(Demand demand, NodeShape shape, int tasks) {
        return demand.exclusive()
                ? (long) tasks * demand.cpusPerTask()
                : cpus(demand, shape, tasks);
    }

    private static int gpus(Demand demand, int tasks) {
        var count = 0L;
        for (var wanted : demand.gresPerNode()) {
            count += wanted.name().equals("gpu") ? wanted.count() : 0;
        }
        for (var wanted : demand.gresPerTask()) {
            count += wanted.name().equals("gpu") ? wanted.count() * tasks : 0;
        }
        return (int) count;
    }

    static boolean matches(NodeShape shape, int kind, GresDemand wanted) {
        var gres = shape.gres().get(kind);
        return gres.name().equals(wanted.name())
                && (wanted.type().isEmpty() || wanted.type().equals(gres.type()));
    }

    static long count(long[] free, NodeShape shape, GresDemand wanted) {
        var count = 0L;
        for (var kind = 0; kind < free.length; kind++) {
            count += matches(shape, kind, wanted) ? free[kind] : 0;
        }
        return count;
    }

    /// Takes devices away, those with a type first; false if there are too few.
    static boolean take(long[] free, NodeShape shape, List<GresDemand> wanted, int times) {
        for (var typed : new boolean[] {true, false}) {
            for (var item : wanted) {
                if (item.type().isEmpty() == typed) {
                    continue;
                }
                var missing = item.count() * times;
                for (var kind = 0; kind < free.length && missing > 0; kind++) {
                    if (matches(shape, kind, item)) {
                        var taken = Math.min(missing, free[kind]);
                        free[kind] -= taken;
                        missing -= taken;
                    }
                }
                if (missing > 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
