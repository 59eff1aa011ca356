package dev.spur.engine.demand;

import dev.spur.engine.demand.Demand.GresDemand;
import dev.spur.model.MemoryRequest;
import dev.spur.model.NodeShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How many tasks of a demand a node of some shape can take, from what is free of it, and what so
/// many tasks take away. The one place that knows what fits; admission asks it about empty nodes,
/// the scheduler about nodes at some time. Everything that depends on demand and shape alone is
/// worked out once, since a pass asks for millions of times.
public final class TaskRoom {
    private static final String GPU = "gpu";

    private final Demand demand;
    private final NodeShape shape;
    private final int core;
    private final int usablePerCore;
    private final int mostCpus;
    private final int leastCpus;
    private final long gpusPerNode;
    private final long gpusPerTask;
    private final long gpusOfJob;
    private final Devices[] devices;
    private final int whole;

    /// Devices that must be free together, of those kinds: `perNode + perTask * tasks`, and at
    /// least one if the whole job wants some.
    ///
    /// @param group the name, and the type if only devices of that type will do
    /// @param kinds positions in the shape's list
    private record Devices(
            GresDemand group, int[] kinds, long perNode, long perTask, boolean ofJob) {
        /// Whatever the number of tasks.
        long fixed() {
            return perNode + (ofJob ? 1 : 0);
        }

        boolean isAskedForBy(GresDemand item) {
            return item.name().equals(group.name())
                    && (group.type().isEmpty() || group.type().equals(item.type()));
        }
    }

    /// What a part of a job needs of a node: free CPUs, free memory, and so many free devices of
    /// each group of the room's.
    public record Need(TaskRoom room, int cpus, long memory, long[] devices) {}

    public TaskRoom(Demand demand, NodeShape shape) {
        this(demand, shape, 0);
    }

    /// @param mostCpus what the partition allows on a node; 0: all
    public TaskRoom(Demand demand, NodeShape shape, int mostCpus) {
        this.demand = demand;
        this.shape = shape;
        core = shape.cpusPerCore();
        usablePerCore =
                demand.threadsPerCore() > 0 ? Math.min(core, demand.threadsPerCore()) : core;
        this.mostCpus = mostCpus > 0 ? mostCpus : Integer.MAX_VALUE;
        gpusPerNode = gpus(demand.gresPerNode());
        gpusPerTask = gpus(demand.gresPerTask());
        gpusOfJob = demand.gresPerJob().stream().anyMatch(TaskRoom::isGpu) ? 1 : 0;
        leastCpus =
                Math.clamp(
                        (gpusPerNode + gpusOfJob) * demand.cpusPerGpu(),
                        Math.max(1, demand.minCpusPerNode()),
                        Integer.MAX_VALUE);
        devices = devices();
        whole = tasks(shape.cpus(), shape.memoryMebibytes(), counts(shape), 0);
    }

    /// Whether nodes of this shape and with these features may serve the demand at all.
    public static boolean suits(Demand demand, NodeShape shape, List<String> features) {
        return shape.tmpDiskMebibytes() >= demand.needs().tmpDiskMebibytes()
                && shape.sockets() >= demand.needs().socketsPerNode()
                && shape.coresPerSocket() >= demand.needs().coresPerSocket()
                && shape.threadsPerCore() >= demand.threadsPerCore()
                && (demand.hosts().features().isEmpty()
                        || demand.hosts().features().stream().anyMatch(features::containsAll));
    }

    /// How many tasks an empty node of this shape takes.
    public static int whole(Demand demand, NodeShape shape) {
        return new TaskRoom(demand, shape).whole();
    }

    /// Whether an empty node of this shape has the devices that the demand wants on each node.
    public static boolean hasDevices(Demand demand, NodeShape shape) {
        return new TaskRoom(demand, shape).tasksWithDevices(counts(shape), 0, 1) > 0;
    }

    /// The free devices of an empty node, one number for each kind of its shape.
    public static long[] counts(NodeShape shape) {
        return shape.gres().stream().mapToLong(gres -> gres.count()).toArray();
    }

    /// How many tasks an empty node takes.
    public int whole() {
        return whole;
    }

    /// Whether devices are counted over the whole job, so that tasks are not all there is to count.
    public boolean isSharedOut() {
        return !demand.gresPerJob().isEmpty();
    }

    /// What so many tasks and so many of each device wanted by the whole job need; null if an empty
    /// node has not so much.
    public @Nullable Need need(int tasks, long[] ofJob) {
        var gpus = gpusAmong(ofJob);
        var wanted = new long[devices.length];
        for (var i = 0; i < wanted.length; i++) {
            wanted[i] = devices[i].perNode + devices[i].perTask * tasks;
            for (var item = 0; item < ofJob.length; item++) {
                if (devices[i].isAskedForBy(demand.gresPerJob().get(item))) {
                    wanted[i] += ofJob[item];
                }
            }
        }
        var need = new Need(this, cpus(tasks, gpus), memory(tasks, gpus), wanted);
        return tasks <= whole
                        && wantedCpus(tasks, gpus) <= usable(shape.cpus())
                        && need.memory <= shape.memoryMebibytes()
                        && hasDevices(need, counts(shape), 0)
                ? need
                : null;
    }

    private int usable(int cpus) {
        return Math.min(cpus / core * usablePerCore, mostCpus);
    }

    /// 0 if it can take none; never more than the demand has.
    ///
    /// @param gres the free devices of each kind, from position `from` on
    public int tasks(int cpus, long memory, long[] gres, int from) {
        if (demand.exclusive() && cpus < shape.cpus()) {
            return 0;
        }
        var usable = usable(cpus);
        if (usable < leastCpus) {
            return 0;
        }
        long tasks = demand.tasks();
        if (!demand.overcommit()) {
            tasks = Math.min(tasks, usable / demand.cpusPerTask());
        }
        if (demand.tasksPerNode() > 0) {
            tasks = Math.min(tasks, demand.tasksPerNode());
        }
        if (demand.cpusPerGpu() > 0 && gpusPerTask > 0) {
            tasks = Math.min(tasks, (usable / demand.cpusPerGpu() - gpusPerNode) / gpusPerTask);
        }
        if (devices.length > 0) {
            tasks = tasksWithDevices(gres, from, tasks);
        }
        return Math.clamp(tasksWithMemory(memory, tasks), 0, demand.tasks());
    }

    private long tasksWithDevices(long[] gres, int from, long most) {
        var tasks = most;
        for (var wanted : devices) {
            var free = -wanted.fixed();
            for (var kind : wanted.kinds) {
                free += gres[from + kind];
            }
            if (free < 0) {
                return 0;
            }
            if (wanted.perTask > 0) {
                tasks = Math.min(tasks, free / wanted.perTask);
            }
        }
        return tasks;
    }

    /// Whether the devices that are needed are free.
    public boolean hasDevices(Need need, long[] gres, int from) {
        for (var i = 0; i < devices.length; i++) {
            var missing = need.devices[i];
            for (var kind : devices[i].kinds) {
                missing -= gres[from + kind];
            }
            if (missing > 0) {
                return false;
            }
        }
        return true;
    }

    /// How many devices of that name are needed.
    public long devices(String name, Need need) {
        for (var i = 0; i < devices.length; i++) {
            if (devices[i].group.name().equals(name) && devices[i].group.type().isEmpty()) {
                return need.devices[i];
            }
        }
        return 0;
    }

    private long tasksWithMemory(long memory, long tasks) {
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _ -> tasks;
            case MemoryRequest.WholeNode _ -> memory >= shape.memoryMebibytes() ? tasks : 0;
            case MemoryRequest.PerNode(var amount) -> memory >= amount ? tasks : 0;
            case MemoryRequest.PerCpu(var amount) -> {
                var cpus = amount == 0 ? shape.cpus() : memory / amount;
                var usable = demand.exclusive() ? cpus : cpus / core * usablePerCore;
                if (usable < leastCpus) {
                    yield 0;
                }
                yield demand.overcommit() ? tasks : Math.min(tasks, usable / demand.cpusPerTask());
            }
            case MemoryRequest.PerGpu(var amount) -> {
                var left = memory - amount * (gpusPerNode + gpusOfJob);
                if (left < 0) {
                    yield 0;
                }
                yield amount * gpusPerTask == 0
                        ? tasks
                        : Math.min(tasks, left / (amount * gpusPerTask));
            }
        };
    }

    /// CPUs that so many tasks take on a node: whole cores.
    ///
    /// @param jobGpus GPUs of those asked for by the whole job that this node gives
    public int cpus(int tasks, long jobGpus) {
        if (demand.exclusive()) {
            return shape.cpus();
        }
        var cores = (wantedCpus(tasks, jobGpus) + usablePerCore - 1) / usablePerCore;
        return Math.clamp(cores * core, 0, shape.cpus());
    }

    private long wantedCpus(int tasks, long jobGpus) {
        var wanted = demand.overcommit() ? 1L : (long) tasks * demand.cpusPerTask();
        wanted = Math.max(wanted, demand.minCpusPerNode());
        return Math.max(wanted, (gpus(tasks) + jobGpus) * demand.cpusPerGpu());
    }

    /// Memory that so many tasks take on a node.
    public long memory(int tasks, long jobGpus) {
        return switch (demand.memory()) {
            case MemoryRequest.Unspecified _ -> 0;
            case MemoryRequest.WholeNode _ -> shape.memoryMebibytes();
            case MemoryRequest.PerNode(var amount) -> amount;
            // An exclusive job has all CPUs of its nodes, whatever it asked for, and memory for as
            // many of them as there is.
            case MemoryRequest.PerCpu(var amount) ->
                    demand.exclusive()
                            ? Math.min(amount * shape.cpus(), shape.memoryMebibytes())
                            : amount * cpus(tasks, jobGpus);
            case MemoryRequest.PerGpu(var amount) -> amount * (gpus(tasks) + jobGpus);
        };
    }

    /// How many of the devices given to the job as a whole are GPUs.
    public long gpusAmong(long[] ofJob) {
        var count = 0L;
        for (var i = 0; i < ofJob.length; i++) {
            count += isGpu(demand.gresPerJob().get(i)) ? ofJob[i] : 0;
        }
        return count;
    }

    private long gpus(int tasks) {
        return gpusPerNode + gpusPerTask * tasks;
    }

    public long wholeDevicesForJob(int wanted) {
        return devicesForJob(wanted, shape.cpus(), shape.memoryMebibytes(), counts(shape), 0);
    }

    /// How many of the devices wanted by the whole job such a node can give beside one task.
    public long devicesForJob(int wanted, int cpus, long memory, long[] gres, int from) {
        var asked = demand.gresPerJob().get(wanted);
        var most = asked.count();
        for (var group : devices) {
            if (group.isAskedForBy(asked)) {
                var free = -group.perNode - group.perTask;
                for (var kind : group.kinds) {
                    free += gres[from + kind];
                }
                most = Math.min(most, free);
            }
        }
        if (isGpu(asked)) {
            if (demand.cpusPerGpu() > 0) {
                var usable = usable(payableCpus(cpus, memory));
                most = Math.min(most, usable / demand.cpusPerGpu() - gpus(1));
            }
            if (demand.memory() instanceof MemoryRequest.PerGpu(var amount) && amount > 0) {
                most = Math.min(most, memory / amount - gpus(1));
            }
        }
        return Math.max(0, most);
    }

    /// As many of the CPUs as there is memory for.
    private int payableCpus(int cpus, long memory) {
        return demand.memory() instanceof MemoryRequest.PerCpu(var amount) && amount > 0
                ? Math.clamp(memory / amount, 0, cpus)
                : cpus;
    }

    /// The devices of each kind that so many tasks take.
    ///
    /// @param ofJob how many of each device wanted by the whole job
    public long[] take(int tasks, long[] ofJob, long[] gres, int from) {
        var taken = new long[shape.gres().size()];
        if (demand.exclusive()) {
            System.arraycopy(gres, from, taken, 0, taken.length);
            return taken;
        }
        for (var typed : new boolean[] {true, false}) {
            take(taken, demand.gresPerNode(), 1, typed, gres, from);
            take(taken, demand.gresPerTask(), tasks, typed, gres, from);
            for (var i = 0; i < ofJob.length; i++) {
                var asked = demand.gresPerJob().get(i);
                if (!asked.type().isEmpty() == typed) {
                    take(taken, asked, ofJob[i], gres, from);
                }
            }
        }
        return taken;
    }

    private void take(
            long[] taken,
            List<GresDemand> wanted,
            int times,
            boolean typed,
            long[] gres,
            int from) {
        for (var item : wanted) {
            if (!item.type().isEmpty() == typed) {
                take(taken, item, item.count() * times, gres, from);
            }
        }
    }

    private void take(long[] taken, GresDemand item, long count, long[] gres, int from) {
        var missing = count;
        for (var kind = 0; kind < taken.length && missing > 0; kind++) {
            if (matches(kind, item)) {
                var given = Math.min(missing, gres[from + kind] - taken[kind]);
                taken[kind] += given;
                missing -= given;
            }
        }
    }

    /// Every name, and every type that is asked for, with what of it is needed. Since the types of
    /// a name are disjoint and lie within it, these sums are all there is to check.
    private Devices[] devices() {
        var groups = new ArrayList<Devices>();
        var seen = new ArrayList<GresDemand>();
        for (var list : List.of(demand.gresPerNode(), demand.gresPerTask(), demand.gresPerJob())) {
            for (var item : list) {
                add(groups, seen, new GresDemand(item.name(), "", 0));
                if (!item.type().isEmpty()) {
                    add(groups, seen, new GresDemand(item.name(), item.type(), 0));
                }
            }
        }
        return groups.toArray(Devices[]::new);
    }

    private void add(List<Devices> groups, List<GresDemand> seen, GresDemand group) {
        if (seen.contains(group)) {
            return;
        }
        seen.add(group);
        var kinds = new ArrayList<Integer>();
        for (var kind = 0; kind < shape.gres().size(); kind++) {
            if (matches(kind, group)) {
                kinds.add(kind);
            }
        }
        groups.add(
                new Devices(
                        group,
                        kinds.stream().mapToInt(Integer::intValue).toArray(),
                        sum(demand.gresPerNode(), group),
                        sum(demand.gresPerTask(), group),
                        sum(demand.gresPerJob(), group) > 0));
    }

    private static long sum(List<GresDemand> wanted, GresDemand group) {
        var sum = 0L;
        for (var item : wanted) {
            if (item.name().equals(group.name())
                    && (group.type().isEmpty() || group.type().equals(item.type()))) {
                sum += item.count();
            }
        }
        return sum;
    }

    private boolean matches(int kind, GresDemand wanted) {
        var gres = shape.gres().get(kind);
        return gres.name().equals(wanted.name())
                && (wanted.type().isEmpty() || wanted.type().equals(gres.type()));
    }

    private static long gpus(List<GresDemand> wanted) {
        var count = 0L;
        for (var item : wanted) {
            count += isGpu(item) ? item.count() : 0;
        }
        return count;
    }

    private static boolean isGpu(GresDemand item) {
        return item.name().equals(GPU);
    }
}
