package dev.spur.rest.job;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.Rlimit;
import dev.spur.api.v1.Sharing;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.view.SlurmSchema;
import dev.spur.model.ErrorCode;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/// Makes of a described job what the controller is asked for. Tells of every member that is not
/// used.
public final class JobDescription {
    private static final long RLIMIT_INFINITY = -1;

    private final List<Body> parts;
    private final Body job;
    private final Set<String> used = new HashSet<>();
    private final Consumer<String> warn;

    /// @param parts more than one: a heterogeneous job
    /// @param warn told of what is not used
    public JobDescription(List<Body> parts, Consumer<String> warn) {
        this.parts = List.copyOf(parts);
        this.job = parts.getFirst();
        this.warn = warn;
    }

    /// @param script beside the description, empty: in it
    public SubmitJobRequest request(
            Caller.Known caller, JobKind kind, String script, String requestId, Defaults defaults) {
        var spec = spec(caller, kind, defaults);
        var batch = kind == JobKind.JOB_KIND_BATCH;
        var text = script.isEmpty() ? take("script").text("script").orElse("") : script;
        take("script");
        if (batch && text.isBlank()) {
            throw Refusal.of(
                    422, ErrorCode.SCRIPT_MISSING, "the request has no script: give \"script\"");
        }
        var request = SubmitJobRequest.newBuilder().setRequestId(requestId);
        if (batch) {
            request.setScript(ByteString.copyFromUtf8(text));
        }
        request.setEnvironment(environment(defaults));
        for (var part : parts) {
            spec.addComponents(resources(part));
        }
        request.setSpec(spec);
        tellOfTheRest();
        return request.build();
    }

    /// What a job gets that does not say.
    ///
    /// @param isStrict as Slurm: environment and directory have to be said
    public record Defaults(boolean isStrict) {}

    private JobSpec.Builder spec(Caller.Known caller, JobKind kind, Defaults defaults) {
        var spec =
                JobSpec.newBuilder()
                        .setKind(kind)
                        .setName(text("name"))
                        .setAccount(text("account"))
                        .setQos(text("qos"))
                        .setArray(text("array"))
                        .setDependency(text("dependency"))
                        .setComment(text("comment"))
                        .setAdminComment(text("admin_comment"))
                        .setReservation(text("reservation"))
                        .setWckey(text("wckey"))
                        .setMailUser(text("mail_user"))
                        .setMcsLabel(text("mcs_label"))
                        .setNetwork(text("network"))
                        .setContainer(text("container"))
                        .setCpuFreq(text("cpu_frequency"))
                        .setClusterFeatures(text("cluster_constraint"))
                        .setStdOut(text("standard_output"))
                        .setStdErr(text("standard_error"))
                        .setStdIn(text("standard_input"))
                        .setWorkDir(directory(caller, defaults))
                        .setUmask(022)
                        .setSubmitHost(ThisHost.shortName())
                        .setSubmitLine("POST " + job.path())
                        .setCommand(kind == JobKind.JOB_KIND_BATCH ? text("name") : "");
        spec.setSubmitDir(spec.getWorkDir());
        spec.addAllPartitions(words("partition")).addAllLicenses(words("licenses"));
        spec.setMailType(String.join(",", words("mail_type")));
        spec.addAllScriptArgs(arguments());
        owner(spec);
        number("nice", spec::setNice);
        times(spec);
        switches(spec);
        rlimits(spec);
        return spec;
    }

    /// The first of the arguments is the program's own name.
    private List<String> arguments() {
        var all = take("argv").words("argv");
        return all.size() < 2 ? List.of() : all.subList(1, all.size());
    }

    private String directory(Caller.Known caller, Defaults defaults) {
        var given = text("current_working_directory");
        if (!given.isEmpty()) {
            if (!given.startsWith("/")) {
                throw Refusal.unreadable(
                        "current_working_directory must be a path from the root, /…");
            }
            return given;
        }
        if (defaults.isStrict()) {
            throw new Refusal(
                    422,
                    2063,
                    "NO_WORK_DIR",
                    "Job cannot be submitted without the current working directory specified.",
                    "the job has no current_working_directory",
                    "",
                    0);
        }
        // Whom this host does not know the cluster may know: users of the cloud.
        return Users.byName(caller.user())
                .filter(user -> isOf(caller, user.uid()))
                .map(user -> user.home())
                .filter(home -> home.startsWith("/"))
                .orElse("");
    }

    private static boolean isOf(Caller.Known caller, long uid) {
        return !(caller.identity() instanceof CallerIdentity.Vouched vouched)
                || Integer.toUnsignedLong(vouched.uid()) == uid;
    }

    private void owner(JobSpec.Builder spec) {
        var name = text("user_id");
        take("group_id");
        if (name.isEmpty()) {
            return;
        }
        var user =
                Users.byNameOrUid(name)
                        .orElseThrow(() ->
                                Refusal.of(
                                        422,
                                        ErrorCode.INVALID_USER,
                                        "this host knows no user " + name));
        spec.setUid((int) user.uid())
                .setGid((int) user.gid())
                .setUserName(user.name())
                .addAllGroups(Users.groups(user).stream().map(Long::intValue).toList());
    }

    private void times(JobSpec.Builder spec) {
        limit("time_limit", spec::setTimeLimit);
        limit("time_minimum", spec::setTimeMin);
        instant("begin_time", spec::setBeginMicros);
        instant("deadline", spec::setDeadlineMicros);
        take("delay_boot").count("delay_boot").ifPresent(spec::setDelayBootSecs);
    }

    private void limit(String name, Consumer<TimeLimit> set) {
        take(name);
        if (job.isInfinite(name)) {
            set.accept(TimeLimit.newBuilder().setUnlimited(true).build());
        } else {
            job.count(name)
                    .ifPresent(minutes ->
                            set.accept(TimeLimit.newBuilder().setMinutes(minutes).build()));
        }
    }

    private void instant(String name, java.util.function.LongConsumer set) {
        var seconds = take(name).number(name);
        if (seconds.isPresent() && seconds.getAsLong() > 0) {
            if (seconds.getAsLong() > Long.MAX_VALUE / 2_000_000) {
                throw Refusal.unreadable(name + " is no time");
            }
            set.accept(seconds.getAsLong() * 1_000_000);
        }
    }

    private void switches(JobSpec.Builder spec) {
        take("hold").flag("hold").ifPresent(spec::setHold);
        take("requeue").flag("requeue").ifPresent(spec::setRequeue);
        take("overcommit").flag("overcommit").ifPresent(spec::setOvercommit);
        take("wait_all_nodes").flag("wait_all_nodes").ifPresent(spec::setWaitAllNodes);
        take("kill_on_node_fail")
                .flag("kill_on_node_fail")
                .ifPresent(kill -> spec.setNoKill(!kill));
        take("core_specification").count("core_specification").ifPresent(spec::setCoreSpec);
        var priority = take("priority").number("priority");
        if (priority.isPresent()) {
            if (priority.getAsLong() < 0 || priority.getAsLong() > 0xffff_ffffL) {
                throw Refusal.unreadable("priority must be a number from 0 to 4294967295");
            }
            spec.setPriority((int) priority.getAsLong());
        }
        for (var mode : words("open_mode")) {
            spec.setOpenMode(
                    mode.equalsIgnoreCase("APPEND")
                            ? OpenMode.OPEN_MODE_APPEND
                            : OpenMode.OPEN_MODE_TRUNCATE);
        }
        for (var flag : words("flags")) {
            switch (flag.toUpperCase(Locale.ROOT)) {
                case "KILL_INVALID_DEPENDENCY" -> spec.setKillOnInvalidDependency(true);
                case "NO_KILL_INVALID_DEPENDENCY" -> spec.setKillOnInvalidDependency(false);
                case "SPREAD_JOB" -> spec.setSpreadJob(true);
                case "PREFER_MINIMUM_NODE_COUNT" -> {}
                default -> warn.accept("the flag %s is not used".formatted(flag));
            }
        }
        var signal = text("kill_warning_signal");
        var delay = take("kill_warning_delay").count("kill_warning_delay");
        var toBatch = words("kill_warning_flags").contains("BATCH_JOB");
        if (!signal.isEmpty()) {
            spec.setSignal(
                    (toBatch ? "B:" : "")
                            + signal
                            + delay.map(seconds -> "@" + seconds).orElse(""));
        }
    }

    private void rlimits(JobSpec.Builder spec) {
        var limits = take("rlimits").object("rlimits");
        if (limits.isEmpty()) {
            return;
        }
        for (var name : limits.get().names()) {
            var unlimited = limits.get().isInfinite(name);
            var soft = limits.get().number(name);
            if (unlimited || soft.isPresent()) {
                spec.addRlimits(
                        Rlimit.newBuilder()
                                .setName(name.toUpperCase(Locale.ROOT))
                                .setSoft(unlimited ? 0 : soft.getAsLong())
                                .setUnlimited(unlimited || soft.orElse(0) == RLIMIT_INFINITY));
            }
        }
    }

    private ByteString environment(Defaults defaults) {
        var lines = take("environment").assignments("environment");
        if (lines.isEmpty() && defaults.isStrict()) {
            throw new Refusal(
                    422,
                    2127,
                    "NO_ENVIRONMENT",
                    "Environment is missing in job",
                    "the job has no environment",
                    "Give at least [\"PATH=/bin:/usr/bin\"]",
                    0);
        }
        var all = new ArrayList<>(lines);
        if (lines.isEmpty()) {
            all.add("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        }
        var text = new StringBuilder();
        for (var line : all) {
            if (line.indexOf('\0') >= 0 || line.indexOf('=') < 1) {
                throw Refusal.unreadable("environment has a line that is no NAME=value");
            }
            text.append(line).append('\0');
        }
        return ByteString.copyFrom(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private ResourceRequest resources(Body part) {
        var request =
                ResourceRequest.newBuilder()
                        .setConstraint(text(part, "constraints"))
                        .setPrefer(text(part, "prefer"))
                        .setNodeList(String.join(",", words(part, "required_nodes")))
                        .setExclude(String.join(",", words(part, "excluded_nodes")))
                        .setDistribution(text(part, "distribution"))
                        .setCpuBind(text(part, "cpu_binding"))
                        .setMemBind(text(part, "memory_binding"))
                        .setGresPerNode(gres(part, "tres_per_node"))
                        .setGresPerJob(gres(part, "tres_per_job"))
                        .setGresPerSocket(gres(part, "tres_per_socket"))
                        .setGresPerTask(gres(part, "tres_per_task"))
                        .setGpuBind(text(part, "tres_bind").replaceFirst("^(gres[/:])?gpu:", ""));
        part.flag("contiguous").ifPresent(request::setContiguous);
        used.add("contiguous");
        request.setUseMinNodes(words(part, "flags").contains("PREFER_MINIMUM_NODE_COUNT"));
        counts(part, request);
        memory(part, request);
        sharing(part, request);
        return request.build();
    }

    private void counts(Body part, ResourceRequest.Builder request) {
        nodes(part, request);
        count(part, "minimum_nodes", request::setMinNodes);
        count(part, "maximum_nodes", request::setMaxNodes);
        count(part, "tasks", request::setTasks);
        count(part, "cpus_per_task", request::setCpusPerTask);
        count(part, "tasks_per_node", request::setTasksPerNode);
        count(part, "tasks_per_socket", request::setTasksPerSocket);
        count(part, "tasks_per_core", request::setTasksPerCore);
        count(part, "ntasks_per_tres", request::setTasksPerGpu);
        count(part, "minimum_cpus_per_node", request::setMinCpusPerNode);
        count(part, "sockets_per_node", request::setSocketsPerNode);
        count(part, "threads_per_core", request::setThreadsPerCore);
        request.setTasksGiven(request.getTasks() > 0 || request.getTasksPerNode() > 0);
        request.setCpusPerTaskGiven(request.getCpusPerTask() > 0);
        used.add("minimum_cpus");
        // Slurm's clients say how many CPUs in all; without tasks each of those is one.
        part.count("minimum_cpus")
                .filter(cpus -> cpus > 1 && !request.getTasksGiven())
                .ifPresent(cpus ->
                        request.setTasks(Math.max(1, cpus / Math.max(1, request.getCpusPerTask())))
                                .setTasksGiven(true));
        var switches = part.count("required_switches");
        var wait = part.count("wait_for_switch");
        used.add("required_switches");
        used.add("wait_for_switch");
        switches.filter(number -> number > 0)
                .ifPresent(number ->
                        request.setSwitches(
                                number + wait.map(seconds -> "@" + seconds).orElse("")));
    }

    /// `2`, `2-4`
    private void nodes(Body part, ResourceRequest.Builder request) {
        var text = text(part, "nodes");
        if (text.isEmpty()) {
            return;
        }
        if (!text.matches("[0-9]{1,6}(-[0-9]{1,6})?")) {
            throw Refusal.of(
                    422,
                    ErrorCode.INVALID_NODE_COUNT,
                    "nodes must be a number or a range of numbers, as in 2-4");
        }
        var ends = text.split("-", 2);
        request.setMinNodes(Integer.parseInt(ends[0]));
        request.setMaxNodes(Integer.parseInt(ends[ends.length - 1]));
    }

    private void memory(Body part, ResourceRequest.Builder request) {
        used.add("memory_per_node");
        used.add("memory_per_cpu");
        positive(part, "memory_per_node", request::setMemPerNodeMb);
        positive(part, "memory_per_cpu", request::setMemPerCpuMb);
        count(part, "temporary_disk_per_node", request::setTmpDiskMb);
        var perGpu = text(part, "memory_per_tres").replaceFirst("^gres[/:]gpu[:=]", "");
        if (!perGpu.isEmpty()) {
            request.setMemPerGpuMb(whole("memory_per_tres", perGpu));
        }
        var cpusPerGpu = text(part, "cpus_per_tres").replaceFirst("^gres[/:]gpu[:=]", "");
        if (!cpusPerGpu.isEmpty()) {
            request.setCpusPerGpu(whole("cpus_per_tres", cpusPerGpu));
        }
    }

    private static void positive(Body part, String name, java.util.function.LongConsumer set) {
        var number = part.number(name);
        if (number.isPresent()) {
            if (number.getAsLong() < 0) {
                throw Refusal.unreadable(name + " must not be negative");
            }
            set.accept(number.getAsLong());
        }
    }

    private static int whole(String name, String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw Refusal.unreadable(name + " must be like gres:gpu:4");
        }
        return Integer.parseInt(text);
    }

    private void sharing(Body part, ResourceRequest.Builder request) {
        for (var word : words(part, "shared")) {
            request.setSharing(
                    switch (word.toLowerCase(Locale.ROOT)) {
                        case "none", "exclusive" -> Sharing.SHARING_EXCLUSIVE;
                        case "oversubscribe" -> Sharing.SHARING_OVERSUBSCRIBE;
                        case "user" -> Sharing.SHARING_USER;
                        case "mcs" -> Sharing.SHARING_MCS;
                        default ->
                                throw Refusal.unreadable(
                                        "shared knows none, oversubscribe, user and mcs");
                    });
        }
    }

    /// `gres/gpu:2`, `gres:gpu:2` and `gres/gpu=2` are `gpu:2`.
    private String gres(Body part, String name) {
        return String.join(
                ",",
                words(part, name).stream()
                        .map(item -> item.replaceFirst("^gres[/:]", "").replace('=', ':'))
                        .toList());
    }

    private String text(String name) {
        return text(job, name);
    }

    private String text(Body part, String name) {
        used.add(name);
        return part.text(name).orElse("");
    }

    private List<String> words(String name) {
        return words(job, name);
    }

    private List<String> words(Body part, String name) {
        used.add(name);
        return part.words(name);
    }

    private void count(Body part, String name, IntConsumer set) {
        used.add(name);
        part.count(name).ifPresent(set::accept);
    }

    private void number(String name, IntConsumer set) {
        var number = take(name).number(name);
        if (number.isPresent()) {
            if (number.getAsLong() != (int) number.getAsLong()) {
                throw Refusal.unreadable(name + " is too large a number");
            }
            set.accept((int) number.getAsLong());
        }
    }

    private Body take(String name) {
        used.add(name);
        return job;
    }

    private void tellOfTheRest() {
        var known = (SlurmSchema.Structure) SlurmSchema.current().structure("job_desc_msg");
        for (var part : parts) {
            for (var name : part.names()) {
                if (!used.contains(name) && part.has(name)) {
                    warn.accept(
                            known.member(name) == null
                                    ? "Ignoring unknown field \"%s\" of job_desc_msg"
                                            .formatted(name)
                                    : "%s is not used by this release".formatted(name));
                }
            }
        }
    }
}
