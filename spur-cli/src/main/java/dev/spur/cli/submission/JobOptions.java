package dev.spur.cli.submission;

import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.Sharing;
import dev.spur.cli.Failure;
import dev.spur.cli.options.Answer;
import dev.spur.cli.options.Option;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.GpuBinding;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.MailTypes;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NodeCount;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.SignalSpec;
import dev.spur.model.notation.TimeLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// The options that describe a job, common to `sbatch`, `salloc` and `srun`. Each tool reads them
/// with the environment variables of its own prefix.
public final class JobOptions {
    public static final Option<String> ACCOUNT =
            Option.text("account", "NAME").letter('A').help("charge the job to this account");
    public static final Option<String> BEGIN =
            Option.text("begin", "TIME").letter('b').help("do not start before this time");
    public static final Option<String> CHDIR =
            Option.text("chdir", "DIRECTORY")
                    .letter('D')
                    .alias("workdir")
                    .help("run in this directory");
    public static final Option<String> COMMENT =
            Option.text("comment", "TEXT").help("a note kept with the job");
    public static final Option<String> CONSTRAINT =
            Option.text("constraint", "FEATURES")
                    .letter('C')
                    .help("only nodes with these features");
    public static final Option<Boolean> CONTIGUOUS =
            Option.flag("contiguous").help("only nodes that are neighbours");
    public static final Option<Integer> CORES_PER_SOCKET =
            count("cores-per-socket", "sockets with this many cores");
    public static final Option<Integer> CORE_SPEC =
            Option.of("core-spec", "COUNT", Numbers.notNegative("--core-spec"))
                    .letter('S')
                    .help("leave this many cores to the system");
    public static final Option<Integer> CPUS_PER_GPU =
            count("cpus-per-gpu", "processors for each GPU");
    public static final Option<Integer> CPUS_PER_TASK =
            count("cpus-per-task", "processors for each task").letter('c');
    public static final Option<String> DEADLINE =
            Option.text("deadline", "TIME")
                    .help("remove the job if it cannot end before this time");
    public static final Option<String> DEPENDENCY =
            Option.text("dependency", "LIST")
                    .letter('d')
                    .help("wait for other jobs: afterok:12, singleton");
    public static final Option<String> DISTRIBUTION =
            Option.of("distribution", "METHOD", JobOptions::distribution)
                    .letter('m')
                    .help("how tasks spread over nodes: block, cyclic, plane=N, arbitrary");
    public static final Option<String> EXCLUDE =
            Option.text("exclude", "NODES").letter('x').help("never these nodes");
    public static final Option<Sharing> EXCLUSIVE =
            Option.optional("exclusive", "user|mcs", "exclusive", JobOptions::exclusive)
                    .replaces("oversubscribe")
                    .help("share the nodes with no other job");
    public static final Option<String> EXTRA_NODE_INFO =
            Option.text("extra-node-info", "S[:C[:T]]")
                    .letter('B')
                    .help("sockets per node, cores per socket, threads per core");
    public static final Option<GresRequest> GPUS = gpus("gpus", "for the whole job").letter('G');
    public static final Option<GresRequest> GPUS_PER_NODE = gpus("gpus-per-node", "on each node");
    public static final Option<GresRequest> GPUS_PER_SOCKET =
            gpus("gpus-per-socket", "on each socket");
    public static final Option<GresRequest> GPUS_PER_TASK = gpus("gpus-per-task", "for each task");
    public static final Option<String> GPU_BIND =
            Option.of("gpu-bind", "TYPE", JobOptions::gpuBind)
                    .help("which GPUs each task sees: none, single:N, per_task:N, map_gpu:LIST");
    public static final Option<GresRequest> GRES =
            Option.of("gres", "LIST", JobOptions::gres)
                    .help("generic resources on each node: gpu:2, gpu:mi300x:8; help lists them");
    public static final Option<String> HINT =
            Option.of(
                            "hint",
                            "TYPE",
                            oneOf(
                                    Set.of(
                                            "compute_bound",
                                            "memory_bound",
                                            "multithread",
                                            "nomultithread"),
                                    text ->
                                            new Failure(
                                                    "unrecognized --hint argument \"%s\", see --hint=help"
                                                            .formatted(text))))
                    .help("compute_bound, multithread or nomultithread");
    public static final Option<Boolean> HOLD =
            Option.flag("hold").letter('H').help("submit held: scontrol release starts it");
    public static final Option<String> JOB_NAME =
            Option.text("job-name", "NAME").letter('J').help("the job's name");
    public static final Option<String> LICENSES =
            Option.text("licenses", "LIST").letter('L').help("licences: name[:count],...");
    public static final Option<String> MAIL_TYPE =
            Option.of("mail-type", "TYPES", JobOptions::mailTypes)
                    .help("when to send mail: BEGIN, END, FAIL, ALL, ...");
    public static final Option<String> MAIL_USER =
            Option.text("mail-user", "ADDRESS").help("who gets the mail");
    public static final Option<String> MCS_LABEL =
            Option.text("mcs-label", "LABEL").help("the job's MCS label");
    public static final Option<MemorySize> MEM =
            Option.of("mem", "SIZE", MemorySize::parse)
                    .outranks("mem-per-cpu", "mem-per-gpu")
                    .help("memory on each node: 4G; 0 is all of it");
    public static final Option<MemorySize> MEM_PER_CPU =
            Option.of("mem-per-cpu", "SIZE", MemorySize::parse)
                    .outranks("mem", "mem-per-gpu")
                    .help("memory for each processor");
    public static final Option<MemorySize> MEM_PER_GPU =
            Option.of("mem-per-gpu", "SIZE", MemorySize::parse)
                    .outranks("mem", "mem-per-cpu")
                    .help("memory for each GPU");
    public static final Option<Integer> MINCPUS =
            count("mincpus", "nodes with at least this many processors");
    public static final Option<Integer> NICE =
            Option.optional("nice", "NUMBER", "100", JobOptions::nice)
                    .help("lower the priority by this much");
    public static final Option<Boolean> NO_KILL =
            Option.optional("no-kill", "off", "on", JobOptions::noKill)
                    .letter('k')
                    .help("go on when a node fails");
    public static final Option<String> NODEFILE =
            Option.text("nodefile", "FILE").letter('F').help("these nodes, read from a file");
    public static final Option<String> NODELIST =
            Option.text("nodelist", "NODES").letter('w').help("these nodes, at least");
    public static final Option<NodeCount> NODES =
            Option.of("nodes", "MIN[-MAX]", JobOptions::nodes).letter('N').help("number of nodes");
    public static final Option<Integer> NTASKS = count("ntasks", "number of tasks").letter('n');
    public static final Option<Integer> NTASKS_PER_CORE =
            count("ntasks-per-core", "tasks on each core, at most");
    public static final Option<Integer> NTASKS_PER_GPU =
            count("ntasks-per-gpu", "tasks for each GPU");
    public static final Option<Integer> NTASKS_PER_NODE =
            count("ntasks-per-node", "tasks on each node").alias("tasks-per-node");
    public static final Option<Integer> NTASKS_PER_SOCKET =
            count("ntasks-per-socket", "tasks on each socket, at most");
    public static final Option<Boolean> OVERCOMMIT =
            Option.flag("overcommit").letter('O').help("more tasks than processors are fine");
    public static final Option<Boolean> OVERSUBSCRIBE =
            Option.flag("oversubscribe")
                    .letter('s')
                    .alias("share")
                    .replaces("exclusive")
                    .help("other jobs may use the same resources");
    public static final Option<String> PARTITION =
            Option.text("partition", "NAMES").letter('p').help("partitions that will do");
    public static final Option<String> PREFER =
            Option.text("prefer", "FEATURES").help("rather nodes with these");
    public static final Option<Long> PRIORITY =
            Option.of("priority", "NUMBER", JobOptions::priority)
                    .help("a fixed priority (operators)");
    public static final Option<String> QOS =
            Option.text("qos", "NAME").letter('q').help("quality of service");
    public static final Option<Boolean> QUIET =
            Option.flag("quiet").letter('Q').help("say only what went wrong");
    public static final Option<String> RESERVATION =
            Option.text("reservation", "NAMES").help("use this reservation");
    public static final Option<SignalSpec> SIGNAL =
            Option.of("signal", "[B:]SIGNAL[@SECONDS]", SignalSpec::parse)
                    .help("send a signal this long before the time limit");
    public static final Option<Integer> SOCKETS_PER_NODE =
            count("sockets-per-node", "nodes with this many sockets");
    public static final Option<Boolean> SPREAD_JOB =
            Option.flag("spread-job").help("spread over as many nodes as possible");
    public static final Option<Integer> THREADS_PER_CORE =
            count("threads-per-core", "cores with this many threads");
    public static final Option<TimeLimit> TIME =
            Option.of("time", "TIME", TimeLimit::parse)
                    .letter('t')
                    .help("time limit: 30, 2:00:00, 1-12");
    public static final Option<TimeLimit> TIME_MIN =
            Option.of("time-min", "TIME", TimeLimit::parse)
                    .help("the limit may be cut down to this");
    public static final Option<MemorySize> TMP =
            Option.of("tmp", "SIZE", MemorySize::parse).help("nodes with this much temporary disk");
    public static final Option<Boolean> USE_MIN_NODES =
            Option.flag("use-min-nodes").help("of a range of node counts prefer the smallest");
    public static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more; repeat for still more");
    public static final Option<Boolean> WAIT_ALL_NODES =
            Option.of(
                            "wait-all-nodes",
                            "0|1",
                            Numbers.notNegative("--wait-all-nodes").andThen(number -> number != 0))
                    .help("begin when every node is ready");
    public static final Option<String> WCKEY =
            Option.text("wckey", "KEY").help("workload characterisation key");

    private JobOptions() {}

    /// All of them, with variables such as `SBATCH_PARTITION`, and those Slurm has but Spur not
    /// yet.
    public static List<Option<?>> shared(String prefix) {
        var variables = new Variables(prefix);
        var options =
                new ArrayList<Option<?>>(
                        List.of(
                                variables.of(ACCOUNT, "ACCOUNT"),
                                variables.of(BEGIN, "BEGIN"),
                                CHDIR,
                                COMMENT,
                                variables.of(CONSTRAINT, "CONSTRAINT"),
                                CONTIGUOUS,
                                CORES_PER_SOCKET,
                                variables.of(CORE_SPEC, "CORE_SPEC"),
                                variables.of(CPUS_PER_GPU, "CPUS_PER_GPU"),
                                CPUS_PER_TASK,
                                DEADLINE,
                                variables.of(DEPENDENCY, "DEPENDENCY"),
                                variables.of(DISTRIBUTION, "DISTRIBUTION"),
                                EXCLUDE,
                                variables.of(EXCLUSIVE, "EXCLUSIVE"),
                                EXTRA_NODE_INFO,
                                variables.of(GPUS, "GPUS"),
                                variables.of(GPUS_PER_NODE, "GPUS_PER_NODE"),
                                variables.of(GPUS_PER_SOCKET, "GPUS_PER_SOCKET"),
                                variables.of(GPUS_PER_TASK, "GPUS_PER_TASK"),
                                variables.of(GPU_BIND, "GPU_BIND"),
                                variables.of(GRES, "GRES"),
                                variables.of(HINT, "HINT"),
                                HOLD));
        options.addAll(
                List.of(
                        variables.of(JOB_NAME, "JOB_NAME"),
                        LICENSES,
                        MAIL_TYPE,
                        MAIL_USER,
                        MCS_LABEL,
                        variables.of(MEM, "MEM_PER_NODE"),
                        variables.of(MEM_PER_CPU, "MEM_PER_CPU"),
                        variables.of(MEM_PER_GPU, "MEM_PER_GPU"),
                        MINCPUS,
                        NICE,
                        variables.of(NO_KILL, "NO_KILL"),
                        NODEFILE,
                        NODELIST,
                        NODES,
                        NTASKS,
                        NTASKS_PER_CORE,
                        NTASKS_PER_GPU,
                        NTASKS_PER_NODE,
                        NTASKS_PER_SOCKET,
                        variables.of(OVERCOMMIT, "OVERCOMMIT"),
                        OVERSUBSCRIBE,
                        variables.of(PARTITION, "PARTITION"),
                        PREFER,
                        PRIORITY,
                        variables.of(QOS, "QOS"),
                        QUIET,
                        variables.of(RESERVATION, "RESERVATION"),
                        variables.of(SIGNAL, "SIGNAL"),
                        SOCKETS_PER_NODE,
                        variables.of(SPREAD_JOB, "SPREAD_JOB"),
                        variables.of(THREADS_PER_CORE, "THREADS_PER_CORE"),
                        variables.of(TIME, "TIMELIMIT"),
                        TIME_MIN,
                        TMP,
                        variables.of(USE_MIN_NODES, "USE_MIN_NODES"),
                        VERBOSE,
                        variables.of(WCKEY, "WCKEY")));
        options.addAll(Hints.all(prefix));
        options.addAll(
                List.of(
                        variables.of(Option.text("bb", "SPEC"), "BURST_BUFFER").unsupported(),
                        Option.text("bbf", "FILE").unsupported(),
                        Option.text("cluster-constraint", "LIST").unsupported(),
                        variables
                                .of(Option.text("clusters", "NAMES").letter('M'), "CLUSTERS")
                                .unsupported(),
                        variables.of(Option.text("container", "PATH"), "CONTAINER").unsupported(),
                        Option.text("gid", "GROUP").unsupported(),
                        variables.of(Option.text("network", "TYPE"), "NETWORK").unsupported(),
                        Option.text("ntasks-per-tres", "COUNT").unsupported(),
                        variables.of(Option.text("power", "FLAGS"), "POWER").unsupported(),
                        Option.flag("reboot").unsupported(),
                        variables
                                .of(Option.text("thread-spec", "COUNT"), "THREAD_SPEC")
                                .unsupported(),
                        Option.text("uid", "USER").unsupported()));
        return options;
    }

    private record Variables(String prefix) {
        <T> Option<T> of(Option<T> option, String... names) {
            return option.from(Arrays.stream(names).map(prefix::concat).toArray(String[]::new));
        }
    }

    private static Option<Integer> count(String name, String help) {
        return Option.of(name, "COUNT", Numbers.positive("--" + name)).help(help);
    }

    private static Option<GresRequest> gpus(String name, String where) {
        return Option.of(name, "[TYPE:]COUNT", GresRequest::parseGpus).help("GPUs " + where);
    }

    private static Function<String, String> oneOf(
            Set<String> words, Function<String, Failure> otherwise) {
        return text -> {
            if (!words.contains(text.toLowerCase(Locale.ROOT))) {
                throw otherwise.apply(text);
            }
            return text;
        };
    }

    private static GresRequest gres(String text) {
        if (text.equalsIgnoreCase("help") || text.equalsIgnoreCase("list")) {
            throw new Answer("Valid gres options are:\ngpu[[:type]:count]");
        }
        try {
            return GresRequest.parse(text);
        } catch (RuntimeException e) {
            throw new Failure(
                    String.valueOf(e.getMessage()).contains("with and without a type")
                            ? "Invalid GRES specification (with and without type identification)"
                            : "Invalid generic resource (gres) specification");
        }
    }

    private static NodeCount nodes(String text) {
        try {
            return NodeCount.parse(text);
        } catch (RuntimeException _) {
            var range = text.split("-", -1);
            if (range.length == 2 && Stream.of(range).allMatch(part -> part.matches("\\d{1,9}"))) {
                throw new Failure(
                        255,
                        "Maximum node count %s is less than minimum node count %s"
                                .formatted(range[1], range[0]));
            }
            // Slurm takes none for a number and leaves it to the controller to refuse it.
            throw text.matches("0{1,9}")
                    ? new Failure(ErrorCode.INVALID_NODE_COUNT.text())
                    : new Failure(255, "\"%s\" is not a valid node count".formatted(text));
        }
    }

    private static Sharing exclusive(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "exclusive", "yes", "1" -> Sharing.SHARING_EXCLUSIVE;
            case "user" -> Sharing.SHARING_USER;
            case "mcs" -> Sharing.SHARING_MCS;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static boolean noKill(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "on", "yes", "1" -> true;
            case "off", "no", "0" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static int nice(String text) {
        var number = Long.parseLong(text);
        if (Math.abs(number) > 2_147_483_645L) {
            throw new Failure("Invalid nice value, must be between -2147483645 and 2147483645");
        }
        return Math.toIntExact(number);
    }

    private static long priority(String text) {
        if (text.equalsIgnoreCase("TOP")) {
            return 4_294_967_293L;
        }
        var number = Long.parseLong(text);
        if (number < 0 || number >= 4_294_967_294L) {
            throw new IllegalArgumentException(text);
        }
        return number;
    }

    /// First level `block`, `cyclic`, `plane=N`, `arbitrary` or `*`, second and third without
    /// plane.
    private static String distribution(String text) {
        var whole = text.toLowerCase(Locale.ROOT);
        var level = "(\\*|block|cyclic|fcyclic)";
        if (!whole.matches(
                "(\\*|block|cyclic|arbitrary|plane(=\\d+)?)(:"
                        + level
                        + "){0,2}(,(pack|nopack))?")) {
            throw new IllegalArgumentException(text);
        }
        return whole;
    }

    private static String gpuBind(String text) {
        try {
            GpuBinding.parse(text);
            return text;
        } catch (NotationException _) {
            throw new Failure(255, "Invalid --gpu-bind argument: gpu:" + text);
        }
    }

    private static String mailTypes(String text) {
        var types = MailTypes.parse(text);
        return types.types().isEmpty() ? "" : types.toString();
    }

    /// `--open-mode`, of sbatch and srun.
    public static OpenMode openMode(String text) {
        return switch (dev.spur.model.notation.OpenMode.parse(text)) {
            case APPEND -> OpenMode.OPEN_MODE_APPEND;
            case TRUNCATE -> OpenMode.OPEN_MODE_TRUNCATE;
        };
    }
}
