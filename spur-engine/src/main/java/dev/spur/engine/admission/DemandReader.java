package dev.spur.engine.admission;

import dev.spur.engine.admission.Admission.RefusedException;
import dev.spur.engine.demand.Demand;
import dev.spur.engine.demand.Demand.GresDemand;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.Site;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.MemoryRequest;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Sharing;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;

/// Turns a request into a demand: how many nodes, tasks and CPUs it means (sbatch(1), `--nodes`,
/// `--ntasks`, `--ntasks-per-node`, `--cpus-per-task`), and what each node must have.
final class DemandReader {
    /// Far beyond any cluster; keeps products of two of them within an int or long.
    private static final int MOST_NODES = 100_000;

    private static final long MOST_MEBIBYTES = 1L << 40;
    private static final int MOST_TASKS = 16_000_000;
    static final int MOST_PER_NODE = 16_384;
    private static final long MOST_DEVICES = 1 << 20;

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
        if (request.maxNodes() > 0 && required.size() > request.maxNodes()) {
            throw new RefusedException(ErrorCode.INVALID_NODE_COUNT);
        }
        var counts = counts();
        if (counts.tasks > MOST_TASKS || counts.tasksPerNode > MOST_PER_NODE) {
            throw new RefusedException(ErrorCode.BAD_TASK_COUNT);
        }
        if (counts.minNodes > MOST_NODES || counts.cpusPerTask > MOST_PER_NODE) {
            throw new RefusedException(ErrorCode.NODE_CONFIG_UNAVAILABLE);
        }
        checkTypes(counts);
        var isCounted = counts.tasks > 0;
        var minNodes = Math.max(Math.max(counts.minNodes, 1), required.size());
        var tasks =
                isCounted
                        ? Math.toIntExact(counts.tasks)
                        : minNodes * Math.max(1, counts.tasksPerNode);
        if (counts.tasksPerNode > 0 && isCounted) {
            minNodes = Math.max(minNodes, (tasks + counts.tasksPerNode - 1) / counts.tasksPerNode);
            // Every node has CPUs for so many, also where there are fewer tasks than that.
            tasks = Math.max(tasks, minNodes * counts.tasksPerNode);
        }
        if (tasks < minNodes) {
            if (request.tasksGiven()) {
                warnings.add(
                        Text.of(
                                "can't run %d processes on %d nodes, setting nnodes to %d",
                                tasks, minNodes, tasks));
            }
            minNodes = Math.max(tasks, required.size());
            tasks = Math.max(tasks, minNodes);
        }
        var spread = spec.spread() && request.minNodes() == 0;
        var maxNodes = spread ? tasks : maxNodes(counts, minNodes, tasks);
        return new Demand(
                new Demand.NodeRange(
                        minNodes,
                        maxNodes,
                        spread || request.maxNodes() > minNodes && !request.useMinNodes(),
                        isExclusive()),
                new Demand.TaskCounts(
                        tasks,
                        Math.max(1, counts.cpusPerTask),
                        counts.tasksPerNode,
                        isCounted ? 1 : Math.max(1, counts.tasksPerNode),
                        request.overcommit()),
                new Demand.NodeNeeds(
                        Math.max(1, request.minCpusPerNode()),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        threadsPerCore(),
                        memory(),
                        request.tmpDiskMebibytes()),
                new Demand.DeviceCounts(
                        counts.perNode, counts.perJob, counts.perTask, request.cpusPerGpu()),
                new Demand.Hosts(
                        features(request.constraint()),
                        features(request.prefer()),
                        required,
                        excluded));
    }

    private Counts counts() {
        var counts =
                new Counts(
                        request,
                        gres(request.gresPerNode()),
                        gres(request.gresPerJob()),
                        gres(request.gresPerTask()));
        counts.combine();
        return counts;
    }

    /// What goes with each GPU is counted where all GPUs of the job are alike.
    private void checkTypes(Counts counts) {
        var types = counts.perJob.stream().filter(item -> item.name().equals("gpu")).count();
        if (types > 1
                && (request.cpusPerGpu() > 0 || request.memory() instanceof MemoryRequest.PerGpu)) {
            throw Admission.unsupported(
                    "--gpus with several types together with CPUs or memory per GPU");
        }
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
        if (!isCount(request.minCpusPerNode(), MOST_PER_NODE)) {
            throw new RefusedException(
                    ErrorCode.NODE_CONFIG_UNAVAILABLE, "CPU count per node can not be satisfied");
        }
        if (!isCount(request.cpusPerTask(), MOST_PER_NODE)
                || !isCount(request.cpusPerGpu(), MOST_PER_NODE)) {
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
        if (request.hint().equals("memory_bound")) {
            throw Admission.unsupported("--hint=memory_bound");
        }
        if (!request.switches().isEmpty()) {
            throw Admission.unsupported("--switches");
        }
        if (request.sharing() == Sharing.USER || request.sharing() == Sharing.MCS) {
            throw Admission.unsupported(
                    "--exclusive=" + request.sharing().name().toLowerCase(Locale.ROOT));
        }
    }

    /// `--hint` (sbatch(1)): one thread of each core, where that is asked for.
    private int threadsPerCore() {
        return switch (request.hint()) {
            case "compute_bound", "nomultithread" -> 1;
            default -> request.threadsPerCore();
        };
    }

    /// Where no number of nodes is said, each task that is counted may have a node of its own, and
    /// so may each of the job's devices.
    private static int maxNodes(Counts counts, int minNodes, int tasks) {
        var isCounted = counts.tasks > 0;
        long most;
        if (counts.maxNodes > 0) {
            most = isCounted ? Math.min(counts.maxNodes, tasks) : counts.maxNodes;
        } else if (counts.minNodes > 0) {
            most = minNodes;
        } else if (counts.perJob.isEmpty()) {
            most = isCounted ? tasks : minNodes;
        } else {
            most = MOST_NODES;
        }
        for (var item : counts.perJob) {
            most = Math.min(most, item.count());
        }
        return Math.clamp(most, minNodes, Math.max(minNodes, MOST_NODES));
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
                if (item.count() > MOST_DEVICES) {
                    throw new RefusedException(ErrorCode.NODE_CONFIG_UNAVAILABLE);
                }
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
        if (!known && item.count() > 0) {
            throw new RefusedException(ErrorCode.INVALID_GRES);
        }
    }

    private List<String> hosts(String text) {
        try {
            var hosts = new LinkedHashSet<String>();
            // Stops at the first that is not known: the list may name far more than there are.
            Hostlist.forEach(
                    text,
                    host -> {
                        if (site.node(host).isEmpty()) {
                            throw new RefusedException(ErrorCode.INVALID_NODE);
                        }
                        hosts.add(host);
                    });
            return List.copyOf(hosts);
        } catch (NotationException e) {
            throw new RefusedException(ErrorCode.INVALID_NODE, String.valueOf(e.getMessage()));
        }
    }

    /// Reads `a&b|c` from left to right into alternatives, each a list of features.
    private List<List<String>> features(String text) {
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
