package dev.spur.engine.admission;

import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.state.Demand;
import dev.spur.engine.state.Demand.GresDemand;
import dev.spur.engine.state.Partition;
import dev.spur.engine.state.Site;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.MemoryRequest;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Sharing;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Turns a request into a demand: how many nodes, tasks and CPUs it means (sbatch(1), `--nodes`,
/// `--ntasks`, `--ntasks-per-node`, `--cpus-per-task`), and what each node must have.
final class DemandReader {
    /// Far beyond any cluster; keeps products of two of them within an int or long.
    private static final int MOST_NODES = 100_000;

    private static final long MOST_MEBIBYTES = 1L << 40;
    private static final int MOST_TASKS = 16_000_000;
    private static final int MOST_PER_NODE = 16_384;

    private final Site site;
    private final List<Partition> partitions;
    private final JobSpec spec;
    private final ResourceRequest request;
    private final List<String> warnings;

    DemandReader(Site site, List<Partition> partitions, JobSpec spec, List<String> warnings) {
        this.site = site;
        this.partitions = partitions;
        this.spec = spec;
        request = spec.request();
        this.warnings = warnings;
    }

    Demand read() {
        checkSizes();
        checkSupported();
        var required = hosts(request.nodeList());
        var excluded = hosts(request.exclude());
        var perTask = gres(request.gresPerTask());
        var perJob = gres(request.gresPerJob());
        var minNodes = Math.max(request.minNodes() > 0 ? request.minNodes() : 1, required.size());
        var tasks = tasks(minNodes, perJob);
        if (request.tasksPerNode() > 0 && request.tasks() > 0) {
            minNodes =
                    Math.max(
                            minNodes,
                            (tasks + request.tasksPerNode() - 1) / request.tasksPerNode());
            // Every node has CPUs for so many, also where there are fewer tasks than that.
            tasks = Math.max(tasks, minNodes * request.tasksPerNode());
        }
        if (tasks < minNodes) {
            if (request.tasksGiven()) {
                warnings.add(
                        "can't run %d processes on %d nodes, setting nnodes to %d"
                                .formatted(tasks, minNodes, tasks));
            }
            minNodes = Math.max(tasks, required.size());
            tasks = Math.max(tasks, minNodes);
        }
        var spread = spec.spread() && request.minNodes() == 0;
        var maxNodes = spread ? tasks : maxNodes(minNodes, tasks);
        var memory = memory();
        return new Demand(
                minNodes,
                maxNodes,
                tasks,
                Math.max(1, request.cpusPerTask()),
                request.tasksPerNode(),
                Math.max(1, request.minCpusPerNode()),
                request.socketsPerNode(),
                request.coresPerSocket(),
                request.threadsPerCore(),
                memory,
                request.tmpDiskMebibytes(),
                gres(request.gresPerNode()),
                perJob,
                perTask,
                request.cpusPerGpu(),
                features(),
                required,
                excluded,
                isExclusive(),
                request.overcommit(),
                spread || request.maxNodes() > minNodes && !request.useMinNodes());
    }

    private void checkSizes() {
        if (!isCount(mebibytes(request.memory()), MOST_MEBIBYTES)
                || !isCount(request.tmpDiskMebibytes(), MOST_MEBIBYTES)) {
            throw new RefusedException(
                    ErrorCode.NODE_CONFIG_UNAVAILABLE, "Memory specification can not be satisfied");
        }
        if (!isCount(request.minNodes(), MOST_NODES)
                || !isCount(request.maxNodes(), Integer.MAX_VALUE)) {
            throw new RefusedException(ErrorCode.INVALID_NODE_COUNT);
        }
        if (!isCount(request.tasks(), MOST_TASKS)
                || !isCount(request.tasksPerNode(), MOST_PER_NODE)
                || !isCount(request.tasksPerGpu(), MOST_PER_NODE)) {
            throw new RefusedException(ErrorCode.BAD_TASK_COUNT);
        }
        if (!isCount(request.cpusPerTask(), MOST_PER_NODE)
                || !isCount(request.cpusPerGpu(), MOST_PER_NODE)
                || !isCount(request.minCpusPerNode(), MOST_PER_NODE)) {
            throw new RefusedException(ErrorCode.TOO_MANY_CPUS);
        }
    }

    private static boolean isCount(long number, long most) {
        return number >= 0 && number <= most;
    }

    private static long mebibytes(MemoryRequest memory) {
        return switch (memory) {
            case MemoryRequest.Unspecified _, MemoryRequest.WholeNode _ -> 0;
            case MemoryRequest.PerNode(var amount) -> amount;
            case MemoryRequest.PerCpu(var amount) -> amount;
            case MemoryRequest.PerGpu(var amount) -> amount;
        };
    }

    private void checkSupported() {
        if (request.contiguous()) {
            throw Admission.unsupported("--contiguous");
        }
        if (request.tasksPerSocket() > 0 || request.tasksPerCore() > 0) {
            throw Admission.unsupported("a number of tasks per socket or core");
        }
        if (!request.gresPerSocket().isEmpty()) {
            throw Admission.unsupported("devices per socket");
        }
        if (!request.switches().isEmpty()) {
            throw Admission.unsupported("--switches");
        }
        if (request.sharing() == Sharing.USER || request.sharing() == Sharing.MCS) {
            throw Admission.unsupported(
                    "--exclusive=" + request.sharing().name().toLowerCase(Locale.ROOT));
        }
    }

    private int tasks(int minNodes, List<GresDemand> perJob) {
        if (request.tasks() > 0) {
            return request.tasks();
        }
        if (request.tasksPerGpu() > 0) {
            return Math.max(1, (int) gpus(minNodes, perJob) * request.tasksPerGpu());
        }
        return request.tasksPerNode() > 0 ? minNodes * request.tasksPerNode() : minNodes;
    }

    private long gpus(int minNodes, List<GresDemand> perJob) {
        return count(perJob) + minNodes * count(gres(request.gresPerNode()));
    }

    private static long count(List<GresDemand> gres) {
        return gres.stream()
                .filter(one -> one.name().equals("gpu"))
                .mapToLong(GresDemand::count)
                .sum();
    }

    /// Without a number of nodes, as many as the tasks need.
    private int maxNodes(int minNodes, int tasks) {
        if (request.maxNodes() > 0) {
            return Math.max(minNodes, Math.min(request.maxNodes(), tasks));
        }
        return request.minNodes() > 0 ? minNodes : Math.max(minNodes, tasks);
    }

    private boolean isExclusive() {
        return request.sharing() == Sharing.EXCLUSIVE
                || partitions.stream()
                        .anyMatch(partition ->
                                partition.spec().oversubscribe().equalsIgnoreCase("EXCLUSIVE"));
    }

    private MemoryRequest memory() {
        if (!(request.memory() instanceof MemoryRequest.Unspecified)) {
            return request.memory();
        }
        var partition = partitions.getFirst().spec();
        var rules = site.config().rules();
        var perCpu =
                partition.defaultMemoryPerCpu() > 0
                        ? partition.defaultMemoryPerCpu()
                        : rules.defaultMemoryPerCpu();
        if (partition.defaultMemoryPerNode() > 0) {
            return new MemoryRequest.PerNode(partition.defaultMemoryPerNode());
        }
        if (perCpu > 0) {
            return new MemoryRequest.PerCpu(perCpu);
        }
        return rules.defaultMemoryPerNode() > 0
                ? new MemoryRequest.PerNode(rules.defaultMemoryPerNode())
                : request.memory();
    }

    private List<GresDemand> gres(String text) {
        try {
            var wanted = GresRequest.parse(text);
            for (var item : wanted.items()) {
                checkKnown(item);
            }
            return wanted.items().stream()
                    .filter(item -> item.count() > 0)
                    .map(item ->
                            new GresDemand(
                                    item.name(),
                                    item.type() == null ? "" : item.type(),
                                    item.count()))
                    .toList();
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.INVALID_GRES, String.valueOf(e.getMessage()));
        }
    }

    private void checkKnown(GresRequest.Item item) {
        var known =
                site.nodeClasses().stream()
                        .flatMap(nodes -> nodes.shape().gres().stream())
                        .anyMatch(gres ->
                                gres.name().equals(item.name())
                                        && (item.type() == null
                                                || item.type().equals(gres.type())));
        if (!known) {
            throw new RefusedException(ErrorCode.INVALID_GRES);
        }
    }

    private List<String> hosts(String text) {
        try {
            var hosts = Hostlist.parse(text).hosts().stream().distinct().toList();
            for (var host : hosts) {
                if (site.node(host).isEmpty()) {
                    throw new RefusedException(ErrorCode.INVALID_NODE);
                }
            }
            return hosts;
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.INVALID_NODE, String.valueOf(e.getMessage()));
        }
    }

    /// Reads `a&b|c` from left to right into alternatives, each a list of features.
    private List<List<String>> features() {
        var text = request.constraint();
        if (text.isEmpty()) {
            return List.of();
        }
        if (text.matches(".*[\\[\\]()*].*")) {
            throw Admission.unsupported("a constraint with brackets or counts");
        }
        var alternatives = new ArrayList<List<String>>();
        for (var term : text.split("(?=[&|,])")) {
            var name = term.replaceFirst("^[&|,]", "").strip();
            if (name.isEmpty() || !isKnown(name)) {
                throw new RefusedException(ErrorCode.INVALID_FEATURE);
            }
            if (term.startsWith("|") || alternatives.isEmpty()) {
                alternatives.add(List.of(name));
            } else {
                alternatives.replaceAll(features -> with(features, name));
            }
        }
        return alternatives;
    }

    private static List<String> with(List<String> features, String name) {
        var more = new ArrayList<>(features);
        more.add(name);
        return List.copyOf(more);
    }

    private boolean isKnown(String feature) {
        return site.nodeClasses().stream().anyMatch(nodes -> nodes.features().contains(feature));
    }
}
