package dev.spur.engine.layout;

import dev.spur.engine.step.Step;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.GresShare;
import dev.spur.model.MemoryRequest;
import dev.spur.model.NodeShare;
import dev.spur.model.Placement;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds room for a step among the nodes of its job.
///
/// A step takes all CPUs of its nodes that no other step claims, or with `--exact` (which `-c`
/// implies) as many as its tasks need. Memory and devices that it does not ask for it shares with
/// the others. With `--overlap` it shares everything.
public final class StepAllocator {
    /// Of anything that a step counts.
    private static final int MOST = 1_000_000;

    private final Placement job;
    private final List<Step> others;
    private final StepRequest request;
    private final int cpusPerTask;
    private final boolean exact;
    private final GresRequest gresPerNode;
    private final GresRequest gresPerTask;
    private final GresRequest gresPerStep;

    private StepAllocator(Placement job, List<Step> others, StepRequest request) {
        this.job = job;
        this.others = request.overlap() || request.interactive() ? List.of() : others;
        this.request = request;
        this.cpusPerTask = request.cpusPerTask() > 0 ? request.cpusPerTask() : 1;
        this.exact = request.exact() || request.cpusPerTask() > 0;
        this.gresPerNode = GresRequest.parse(request.gresPerNode());
        this.gresPerTask = GresRequest.parse(request.gresPerTask());
        this.gresPerStep = GresRequest.parse(request.gresPerStep());
    }

    public sealed interface Answer {}

    public record Fits(Step.Layout layout) implements Answer {}

    /// There will be room when other steps have ended.
    public record Busy(String why) implements Answer {}

    public record Refused(ErrorCode code, String message) implements Answer {
        static Refused of(ErrorCode code) {
            return new Refused(code, code.text());
        }
    }

    /// One node with what is left of it and how many tasks that can take.
    private record Room(NodeShare whole, NodeShare free, int tasks, int tasksIfAlone) {}

    public static Answer allocate(Placement job, List<Step> others, StepRequest request) {
        try {
            return new StepAllocator(job, others, request).allocate();
        } catch (NotationException e) {
            return new Refused(ErrorCode.INVALID_GRES, String.valueOf(e.getMessage()));
        }
    }

    private Answer allocate() {
        if (!isCount(request.minNodes()) || !isCount(request.maxNodes())) {
            return Refused.of(ErrorCode.INVALID_NODE_COUNT);
        }
        if (!isCount(request.tasks())
                || !isCount(request.tasksPerNode())
                || !isCount(cpusPerTask)) {
            return Refused.of(ErrorCode.BAD_TASK_COUNT);
        }
        var distribution = Distribution.parse(request.distribution()).orElse(null);
        if (distribution == null) {
            return Refused.of(ErrorCode.BAD_DISTRIBUTION);
        }
        var wanted = ofTheJob(request.nodeList());
        if (wanted == null) {
            return Refused.of(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        }
        var rooms = rooms(wanted);
        var least = Math.max(request.interactive() ? 1 : request.minNodes(), wanted.size());
        if (least > rooms.size()) {
            return new Refused(
                    ErrorCode.NODE_CONFIG_UNAVAILABLE,
                    Text.of("Only allocated %s nodes asked for %s", rooms.size(), least));
        }
        var tasks = tasks(least, rooms.size());
        var most =
                Math.min(
                        Math.min(rooms.size(), tasks),
                        request.maxNodes() > 0
                                ? Math.max(request.maxNodes(), least)
                                : rooms.size());
        if (request.interactive()) {
            most = 1;
        }
        if (least > tasks) {
            least = tasks;
        }
        if (choose(
                        rooms,
                        least,
                        most,
                        tasks,
                        Comparator.comparingInt(Room::tasksIfAlone).reversed(),
                        true)
                .isEmpty()) {
            return Refused.of(whyNever(tasks));
        }
        var chosen =
                choose(
                        rooms,
                        least,
                        most,
                        tasks,
                        Comparator.comparingInt(Room::tasks).reversed(),
                        false);
        var dealt = deal(gresPerStep, chosen.stream().map(Room::free).toList());
        return chosen.isEmpty() || dealt == null
                ? new Busy(ErrorCode.NODES_BUSY.text())
                : fits(chosen, dealt, tasks, distribution);
    }

    /// What the job has too little of.
    private ErrorCode whyNever(int tasks) {
        var nodes = job.nodes();
        if (nodes.stream().noneMatch(this::hasDevices)) {
            return ErrorCode.INVALID_GRES;
        }
        if (nodes.stream().noneMatch(this::hasMemory)) {
            return ErrorCode.INVALID_TASK_MEMORY;
        }
        var hasRoom = nodes.stream().mapToLong(this::capacity).sum() >= tasks;
        return hasRoom && !gresPerStep.isEmpty() ? ErrorCode.INVALID_GRES : ErrorCode.TOO_MANY_CPUS;
    }

    /// Whether the node has the devices of one task.
    private boolean hasDevices(NodeShare share) {
        return take(share.gres(), gresPerNode, 1) != null
                && take(share.gres(), gresPerTask, 1) != null;
    }

    private boolean hasMemory(NodeShare share) {
        return memory(cpusPerTask) <= share.memoryMebibytes();
    }

    /// What each node gives of devices that were asked for the whole step: one after the other, so
    /// that all give about the same. Null if there are not enough.
    private static @Nullable List<GresRequest> deal(GresRequest total, List<NodeShare> nodes) {
        var items = nodes.stream().map(_ -> new ArrayList<GresRequest.Item>()).toList();
        for (var item : total.items()) {
            var room = nodes.stream().mapToLong(node -> count(node, item)).toArray();
            if (Arrays.stream(room).sum() < item.count()) {
                return null;
            }
            var given = new long[room.length];
            var left = item.count();
            for (var i = 0; left > 0; i = (i + 1) % room.length) {
                if (given[i] < room[i]) {
                    given[i]++;
                    left--;
                }
            }
            for (var i = 0; i < given.length; i++) {
                items.get(i).add(new GresRequest.Item(item.name(), item.type(), given[i]));
            }
        }
        return items.stream().map(GresRequest::new).toList();
    }

    private static long count(NodeShare share, GresRequest.Item item) {
        return share.gres().stream()
                .filter(gres -> matches(gres, item))
                .mapToLong(GresShare::count)
                .sum();
    }

    private static boolean isCount(int number) {
        return number >= 0 && number <= MOST;
    }

    /// The hosts of a list; null if one of them is not the job's, which is looked for first: the
    /// list may name far more than there are.
    private @Nullable Set<String> ofTheJob(String list) {
        var own = new HashSet<>(job.nodeNames());
        var hosts = new LinkedHashSet<String>();
        try {
            Hostlist.forEach(
                    list,
                    host -> {
                        if (!own.contains(host)) {
                            throw new ForeignHostException();
                        }
                        hosts.add(host);
                    });
            return hosts;
        } catch (ForeignHostException _) {
            return null;
        }
    }

    /// Ends the reading of a list of hosts; never leaves this class.
    private static final class ForeignHostException extends RuntimeException {
        ForeignHostException() {
            super(null, null, false, false);
        }
    }

    private List<Room> rooms(Set<String> wanted) {
        var excluded = new HashSet<String>();
        Hostlist.forEach(request.exclude(), excluded::add);
        var rooms = new ArrayList<Room>();
        for (var share : job.nodes()) {
            if (!excluded.contains(share.node())
                    && (wanted.isEmpty()
                            || wanted.contains(share.node())
                            || request.minNodes() > wanted.size())) {
                var free = free(share);
                rooms.add(new Room(share, free, capacity(free), capacity(share)));
            }
        }
        return rooms;
    }

    private int tasks(int least, int available) {
        if (request.tasks() > 0) {
            return request.tasks();
        }
        var nodes = least > 0 ? least : request.interactive() ? 1 : available;
        return request.tasksPerNode() > 0
                ? Math.clamp((long) nodes * request.tasksPerNode(), 1, MOST)
                : nodes;
    }

    /// What of a node's share no other step claims.
    private NodeShare free(NodeShare share) {
        var cpus = share.cpus();
        var memory = share.memoryMebibytes();
        var gres = share.gres();
        for (var step : others) {
            for (var part : step.nodes()) {
                if (!part.node().equals(share.node()) || hasEnded(step, part)) {
                    continue;
                }
                cpus = step.layout().claims().cpus() ? cpus.minus(part.share().cpus()) : cpus;
                memory -= step.layout().claims().memory() ? part.share().memoryMebibytes() : 0;
                gres = step.layout().claims().gres() ? minus(gres, part.share().gres()) : gres;
            }
        }
        return new NodeShare(share.node(), cpus, memory, gres);
    }

    private static boolean hasEnded(Step step, Step.StepNode part) {
        return step.endedOn().contains(step.nodes().indexOf(part));
    }

    private static List<GresShare> minus(List<GresShare> all, List<GresShare> taken) {
        return all.stream()
                .map(gres -> {
                    var left = gres;
                    for (var other : taken) {
                        if (other.name().equals(gres.name()) && other.type().equals(gres.type())) {
                            left =
                                    new GresShare(
                                            gres.name(),
                                            gres.type(),
                                            left.count() - other.count(),
                                            left.indices().minus(other.indices()));
                        }
                    }
                    return left;
                })
                .toList();
    }

    private int capacity(NodeShare share) {
        if (!hasDevices(share) || !hasMemory(share)) {
            return 0;
        }
        var tasks =
                request.overcommit() || request.interactive()
                        ? Integer.MAX_VALUE
                        : share.cpus().size() / cpusPerTask;
        if (share.cpus().isEmpty()) {
            tasks = 0;
        }
        if (request.tasksPerNode() > 0) {
            tasks = Math.min(tasks, request.tasksPerNode());
        }
        for (var item : gresPerTask.items()) {
            if (item.count() > 0) {
                tasks = Math.clamp(count(share, item) / item.count(), 0, tasks);
            }
        }
        return tasks;
    }

    /// The fewest nodes that take the tasks and have the step's devices, in the job's order; empty
    /// if there are none.
    private List<Room> choose(
            List<Room> rooms,
            int least,
            int most,
            int tasks,
            Comparator<Room> roomiest,
            boolean alone) {
        var usable =
                rooms.stream()
                        .filter(room -> (alone ? room.tasksIfAlone : room.tasks) > 0)
                        .toList();
        for (var count = Math.max(1, least); count <= Math.min(most, usable.size()); count++) {
            for (var order : List.of(usable, usable.stream().sorted(roomiest).toList())) {
                var chosen = order.subList(0, count);
                var room =
                        chosen.stream()
                                .mapToLong(one -> alone ? one.tasksIfAlone : one.tasks)
                                .sum();
                var shares = chosen.stream().map(one -> alone ? one.whole : one.free).toList();
                if (room >= tasks && deal(gresPerStep, shares) != null) {
                    return rooms.stream().filter(chosen::contains).toList();
                }
            }
        }
        return List.of();
    }

    private Fits fits(
            List<Room> rooms, List<GresRequest> dealt, int tasks, Distribution distribution) {
        var room = rooms.stream().mapToInt(Room::tasks).toArray();
        if (request.overcommit()) {
            Arrays.fill(room, (tasks + room.length - 1) / room.length);
        }
        var ranks = TaskLayout.ranks(tasks, room, distribution);
        var nodes = new ArrayList<Step.StepNode>();
        for (var i = 0; i < rooms.size(); i++) {
            var share = share(rooms.get(i), dealt.get(i), ranks.get(i).size());
            nodes.add(new Step.StepNode(share, ranks.get(i)));
        }
        var overlaps = request.overlap() || request.interactive();
        var claims =
                overlaps
                        ? Step.Claims.NOTHING
                        : new Step.Claims(
                                true,
                                asksForMemory(),
                                !gresPerNode.isEmpty()
                                        || !gresPerTask.isEmpty()
                                        || !gresPerStep.isEmpty());
        return new Fits(
                new Step.Layout(
                        nodes,
                        tasks,
                        cpusPerTask,
                        claims,
                        request.distribution(),
                        request.gresPerTask()));
    }

    private NodeShare share(Room room, GresRequest dealt, int tasks) {
        var free = room.free;
        var cpus =
                exact
                        ? free.cpus().first(Math.min(free.cpus().size(), tasks * cpusPerTask))
                        : free.cpus();
        var memory = asksForMemory() ? memory(cpus.size()) : room.whole.memoryMebibytes();
        return new NodeShare(free.node(), cpus, memory, gres(free, dealt, tasks));
    }

    private List<GresShare> gres(NodeShare free, GresRequest dealt, int tasks) {
        if (!gresPerTask.isEmpty()) {
            return orAll(take(free.gres(), gresPerTask, tasks), free);
        }
        if (!gresPerStep.isEmpty()) {
            return orAll(take(free.gres(), dealt, 1), free);
        }
        return gresPerNode.isEmpty() ? free.gres() : orAll(take(free.gres(), gresPerNode, 1), free);
    }

    private static List<GresShare> orAll(@Nullable List<GresShare> taken, NodeShare free) {
        return taken == null ? free.gres() : taken;
    }

    private boolean asksForMemory() {
        return switch (request.memory()) {
            case MemoryRequest.PerNode _, MemoryRequest.PerCpu _ -> true;
            case MemoryRequest.Unspecified _, MemoryRequest.WholeNode _, MemoryRequest.PerGpu _ ->
                    false;
        };
    }

    private long memory(int cpus) {
        return switch (request.memory()) {
            case MemoryRequest.PerNode(var mebibytes) -> mebibytes;
            case MemoryRequest.PerCpu(var mebibytes) -> mebibytes * cpus;
            case MemoryRequest.Unspecified _, MemoryRequest.WholeNode _, MemoryRequest.PerGpu _ ->
                    0;
        };
    }

    /// Devices for a request, `times` over; null if there are not enough.
    private static @Nullable List<GresShare> take(
            List<GresShare> free, GresRequest wanted, int times) {
        var taken = new ArrayList<GresShare>();
        for (var item : wanted.items()) {
            var missing = item.count() * times;
            for (var gres : free) {
                var count = Math.min(missing, gres.count());
                if (matches(gres, item) && count > 0) {
                    taken.add(
                            new GresShare(
                                    gres.name(),
                                    gres.type(),
                                    count,
                                    gres.indices().first(Math.toIntExact(count))));
                    missing -= count;
                }
            }
            if (missing > 0) {
                return null;
            }
        }
        return taken;
    }

    private static boolean matches(GresShare gres, GresRequest.Item item) {
        return gres.name().equals(item.name())
                && (item.type() == null || item.type().equals(gres.type()));
    }
}
