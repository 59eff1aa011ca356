package dev.spur.cli.submission;

import static dev.spur.cli.submission.JobOptions.*;

import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.Rlimit;
import dev.spur.api.v1.Sharing;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.ResourceLimit;
import dev.spur.cli.UserFileException;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.Refusal;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import dev.spur.runtime.host.ThisHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Makes of the options what the controller is asked for. Says what Slurm's tools say about options
/// that do not go together.
public final class JobDescription {
    private static final int LARGEST_NODE_FILE = 4 << 20;

    private final Invocation in;
    private final Arguments arguments;

    private JobDescription(Invocation in, Arguments arguments) {
        this.in = in;
        this.arguments = arguments;
    }

    /// Everything but name, kind and what only one of the tools has.
    public static JobSpec.Builder of(Invocation in, Arguments arguments) throws IOException {
        if (!in.memory().isResumed()) {
            Hints.tell(Voice.of(in, arguments), arguments);
        }
        return new JobDescription(in, arguments).spec();
    }

    private JobSpec.Builder spec() throws IOException {
        var caller = in.caller();
        var spec =
                JobSpec.newBuilder()
                        .setUid((int) caller.uid())
                        .setGid((int) caller.gid())
                        .setUserName(caller.name())
                        .setAccount(arguments.get(ACCOUNT, ""))
                        .setQos(arguments.get(QOS, ""))
                        .setDependency(arguments.get(DEPENDENCY, ""))
                        .setNice(arguments.get(NICE, 0))
                        .setHold(arguments.has(HOLD))
                        .setWorkDir(directory(in, arguments.get(CHDIR, in.workingDirectory())))
                        .setSubmitDir(in.workingDirectory())
                        .setAllocSid(in.session())
                        .setComment(arguments.get(COMMENT, ""))
                        .setReservation(arguments.get(RESERVATION, ""))
                        .setMailType(arguments.get(MAIL_TYPE, ""))
                        .setMailUser(arguments.get(MAIL_USER, ""))
                        .setMcsLabel(arguments.get(MCS_LABEL, ""))
                        .setWckey(arguments.get(WCKEY, ""))
                        .setUmask(umask())
                        .setSubmitHost(ThisHost.shortName())
                        .setNoKill(arguments.get(NO_KILL, false))
                        .setWaitAllNodes(arguments.get(WAIT_ALL_NODES, false))
                        .setSpreadJob(arguments.has(SPREAD_JOB))
                        .setCoreSpec(arguments.get(CORE_SPEC, 0))
                        .setOvercommit(arguments.has(OVERCOMMIT))
                        .setSubmitLine(submitLine());
        caller.groups().forEach(group -> spec.addGroups(group.intValue()));
        arguments.get(JOB_NAME).ifPresent(spec::setName);
        arguments.get(PARTITION).ifPresent(names -> spec.addAllPartitions(list(names)));
        arguments.get(LICENSES).ifPresent(names -> spec.addAllLicenses(list(names)));
        arguments.get(TIME).ifPresent(limit -> spec.setTimeLimit(wire(limit)));
        arguments.get(TIME_MIN).ifPresent(limit -> spec.setTimeMin(wire(limit)));
        arguments.get(SIGNAL).ifPresent(signal -> spec.setSignal(signal.toString()));
        arguments.get(PRIORITY).ifPresent(number -> spec.setPriority(number.intValue()));
        spec.setBeginMicros(instant(BEGIN)).setDeadlineMicros(instant(DEADLINE));
        if (spec.getDeadlineMicros() > 0 && spec.getBeginMicros() > spec.getDeadlineMicros()) {
            throw new Failure("Incompatible begin and deadline time specification");
        }
        spec.addComponents(resources());
        return spec;
    }

    private ResourceRequest resources() throws IOException {
        var nodeList = nodeList();
        checkNodes(nodeList);
        var request =
                ResourceRequest.newBuilder()
                        .setConstraint(arguments.get(CONSTRAINT, ""))
                        .setPrefer(arguments.get(PREFER, ""))
                        .setContiguous(arguments.has(CONTIGUOUS))
                        .setDistribution(arguments.get(DISTRIBUTION, ""))
                        .setSocketsPerNode(arguments.get(SOCKETS_PER_NODE, 0))
                        .setCoresPerSocket(arguments.get(CORES_PER_SOCKET, 0))
                        .setThreadsPerCore(arguments.get(THREADS_PER_CORE, 0))
                        .setGpuBind(arguments.get(GPU_BIND, ""))
                        .setHint(arguments.get(HINT, ""))
                        .setUseMinNodes(arguments.has(USE_MIN_NODES))
                        .setMinCpusPerNode(arguments.get(MINCPUS, 0))
                        .setTmpDiskMb(arguments.get(TMP, MemorySize.ZERO).mebibytes())
                        .setCpusPerGpu(arguments.get(CPUS_PER_GPU, 0))
                        .setSharing(sharing())
                        .setNodeList(nodeList)
                        .setExclude(nodes(in, arguments.get(EXCLUDE, "")));
        arguments.get(EXTRA_NODE_INFO).ifPresent(text -> extraNodeInfo(text, request));
        counts(request);
        memory(request);
        gres(request);
        return request.build();
    }

    /// Nodes that are named must all find a place.
    private void checkNodes(String nodeList) {
        int most = arguments.get(NODES).map(count -> count.most()).orElse(0);
        var named = new HashSet<>(hosts(nodeList)).size();
        if (most > 0 && named > most) {
            throw new Failure("invalid number of nodes (-N %d-%d)".formatted(named, most));
        }
    }

    private static List<String> hosts(String nodeList) {
        try {
            return Hostlist.parse(nodeList).hosts();
        } catch (NotationException _) {
            return List.of(); // the controller says what is wrong with it
        }
    }

    private Sharing sharing() {
        return arguments.has(OVERSUBSCRIBE)
                ? Sharing.SHARING_OVERSUBSCRIBE
                : arguments.get(EXCLUSIVE, Sharing.SHARING_DEFAULT);
    }

    /// Nodes and tasks. Without `--ntasks` their number follows from nodes or GPUs, which is for
    /// the controller to say.
    private void counts(ResourceRequest.Builder request) {
        var perNode = arguments.get(NTASKS_PER_NODE, 0);
        var nodes = arguments.get(NODES);
        int minNodes = nodes.map(count -> count.least()).orElse(0);
        int maxNodes = nodes.map(count -> count.most()).orElse(0);
        var given = arguments.get(NTASKS);
        if (given.isPresent() && given.get() < minNodes) {
            in.err()
                    .println(
                            "%s: Warning: can't run %d processes on %d nodes, setting nnodes to %d"
                                    .formatted(in.program(), given.get(), minNodes, given.get()));
            minNodes = given.get();
            maxNodes = Math.max(minNodes, Math.min(maxNodes, given.get()));
        }
        request.setMinNodes(minNodes)
                .setMaxNodes(maxNodes)
                .setTasks(given.orElse(0))
                .setTasksGiven(
                        given.isPresent() || arguments.hasAny(NTASKS_PER_NODE, NTASKS_PER_GPU))
                .setTasksPerNode(perNode)
                .setTasksPerSocket(arguments.get(NTASKS_PER_SOCKET, 0))
                .setTasksPerCore(arguments.get(NTASKS_PER_CORE, 0))
                .setTasksPerGpu(arguments.get(NTASKS_PER_GPU, 0))
                .setCpusPerTask(arguments.get(CPUS_PER_TASK, 0))
                .setCpusPerTaskGiven(arguments.has(CPUS_PER_TASK));
    }

    private void memory(ResourceRequest.Builder request) {
        if (List.of(MEM, MEM_PER_CPU, MEM_PER_GPU).stream().filter(arguments::has).count() > 1) {
            throw new Refusal(
                    1,
                    in.program()
                            + ": fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
        }
        arguments.get(MEM).ifPresent(size -> request.setMemPerNodeMb(size.mebibytes()));
        arguments.get(MEM_PER_CPU).ifPresent(size -> request.setMemPerCpuMb(size.mebibytes()));
        arguments.get(MEM_PER_GPU).ifPresent(size -> request.setMemPerGpuMb(size.mebibytes()));
    }

    private void gres(ResourceRequest.Builder request) {
        var perNode = new ArrayList<GresRequest.Item>();
        arguments.get(GRES).ifPresent(gres -> perNode.addAll(gres.items()));
        if (arguments.has(GPUS_PER_NODE)
                && perNode.stream().anyMatch(item -> item.name().equals("gpu"))) {
            throw new Failure(
                    "--gpus-per-node and --gres=gpu both ask for GPUs of a node. Give one of them.");
        }
        arguments.get(GPUS_PER_NODE).ifPresent(gpus -> perNode.addAll(gpus.items()));
        request.setGresPerNode(new GresRequest(perNode).toString())
                .setGresPerJob(arguments.get(GPUS, GresRequest.NONE).toString())
                .setGresPerTask(arguments.get(GPUS_PER_TASK, GresRequest.NONE).toString())
                .setGresPerSocket(arguments.get(GPUS_PER_SOCKET, GresRequest.NONE).toString());
    }

    private static void extraNodeInfo(String text, ResourceRequest.Builder request) {
        var ordinal = List.of("first", "second", "third");
        var parts = text.split(":", -1);
        for (int i = 0; i < parts.length && i < 3; i++) {
            if (parts[i].equals("*") || (parts[i].isEmpty() && i > 0)) {
                continue;
            }
            var number = Numbers.positive(ordinal.get(i) + " arg of -B").apply(parts[i]);
            switch (i) {
                case 0 -> request.setSocketsPerNode(number);
                case 1 -> request.setCoresPerSocket(number);
                default -> request.setThreadsPerCore(number);
            }
        }
    }

    private String nodeList() throws IOException {
        var file = arguments.get(NODEFILE);
        if (file.isEmpty()) {
            return nodes(in, arguments.get(NODELIST, ""));
        }
        try {
            return nodesIn(in, file.get());
        } catch (UserFileException e) {
            throw new Failure(
                    255,
                    unreadable(e) + "\n" + in.program() + ": error: Invalid --nodefile node file");
        }
    }

    /// A name with a slash is a file of node names.
    public static String nodes(Invocation in, String list) throws IOException {
        if (list.indexOf('/') < 0) {
            return list;
        }
        try {
            return nodesIn(in, list);
        } catch (UserFileException e) {
            throw new Failure(unreadable(e));
        }
    }

    private static String nodesIn(Invocation in, String file) throws IOException {
        var text = new String(in.files().read(file, LARGEST_NODE_FILE), StandardCharsets.UTF_8);
        return Arrays.stream(text.split("[\\s,]+", -1))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.joining(","));
    }

    private static String unreadable(UserFileException e) {
        return "slurm_allocate_resources error opening file %s, %s".formatted(e.path(), e.reason());
    }

    /// Microseconds since the epoch of a time such as `16:00` or `now+1hour` in the caller's zone.
    private long instant(Option<String> option) {
        var text = arguments.get(option);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            return micros(BeginTime.parse(text.get(), in.clock().instant(), in.zone()));
        } catch (NotationException | IllegalArgumentException _) {
            throw new Refusal(
                    255,
                    "Invalid time specification (pos=0): %s\n%s: error: Invalid --%s specification"
                            .formatted(text.get(), in.program(), option.name()));
        }
    }

    static long micros(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000), instant.getNano() / 1000);
    }

    /// `SLURM_UMASK` stands in for the caller's own mask.
    private int umask() {
        var variable = in.environment("SLURM_UMASK");
        return variable != null && variable.matches("[0-7]{1,4}")
                ? Integer.parseInt(variable, 8)
                : in.umask();
    }

    /// The limits that a job inherits: all of the caller's, or those that `--propagate` names.
    public static List<Rlimit> limits(Invocation in, String propagate) {
        var names =
                list(propagate.toUpperCase(java.util.Locale.ROOT)).stream()
                        .map(name -> name.replaceFirst("^RLIMIT_", ""))
                        .toList();
        if (names.contains("NONE")) {
            return List.of();
        }
        var known =
                in.limits().stream().collect(Collectors.toMap(ResourceLimit::name, limit -> limit));
        for (var name : names) {
            if (!name.equals("ALL") && !known.containsKey(name)) {
                throw new Failure(
                        "Bad rlimit name: %s\n%s: error: --propagate=%s is not valid."
                                .formatted(name, in.program(), propagate));
            }
        }
        return in.limits().stream()
                .filter(limit ->
                        names.isEmpty() || names.contains("ALL") || names.contains(limit.name()))
                .map(JobDescription::wire)
                .toList();
    }

    private static Rlimit wire(ResourceLimit limit) {
        var unlimited = limit.soft() == ResourceLimit.UNLIMITED;
        return Rlimit.newBuilder()
                .setName(limit.name())
                .setSoft(unlimited ? 0 : limit.soft())
                .setUnlimited(unlimited)
                .build();
    }

    public static dev.spur.api.v1.TimeLimit wire(TimeLimit limit) {
        var wire = dev.spur.api.v1.TimeLimit.newBuilder();
        switch (limit) {
            case TimeLimit.Limited(var minutes) -> wire.setMinutes(minutes);
            case TimeLimit.Unlimited() -> wire.setUnlimited(true);
        }
        return wire.build();
    }

    /// A path as the caller means it, made absolute.
    public static String directory(Invocation in, String path) {
        return Path.of(in.workingDirectory()).resolve(path).normalize().toString();
    }

    public static List<String> list(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private String submitLine() {
        var words = new ArrayList<>(in.args());
        words.addFirst(in.program());
        return String.join(" ", words);
    }

    /// The caller's home and shell, as its environment has them.
    public static String shell(Map<String, String> environment) {
        var shell = environment.get("SHELL");
        return shell == null || shell.isEmpty() ? "/bin/sh" : shell;
    }
}
