package dev.spur.agent.launch;

import dev.spur.agent.step.StepKey;
import dev.spur.agent.step.StepLimits;
import dev.spur.agent.step.StepPlan;
import dev.spur.agent.step.TaskPlan;
import dev.spur.agent.step.TaskPlan.Stdio;
import dev.spur.api.v1.MultiProgram;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.Rlimit;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepNode;
import dev.spur.model.StepId;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.GpuBinding;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.RunLength;
import dev.spur.model.notation.SignalSpec;
import dev.spur.runtime.host.User;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns a verified launch into a plan for the supervisor.
public final class StepPlanner {
    private static final Logger log = LoggerFactory.getLogger(StepPlanner.class);

    /// Of a terminal's output, for those who come later.
    private static final int MOST_KEPT = 4 << 20;

    private static final String DEFAULT_PATH =
            "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
    private static final String DEFAULT_OUTPUT = "slurm-%j.out";
    private static final String DEFAULT_ARRAY_OUTPUT = "slurm-%A_%a.out";
    private static final String SHELL_IN_SESSIONS =
            Files.isExecutable(Path.of("/bin/bash")) ? "/bin/bash" : "/bin/sh";
    private static final long MIB = 1 << 20;
    private static final int INPUT_FOR_ALL = -1;
    private static final Duration LOGIN_PATIENCE = Duration.ofSeconds(30);

    private final NodeProfile profile;
    private final LongFunction<Optional<User>> users;

    /// @param users finds an account by its uid
    public StepPlanner(NodeProfile profile, LongFunction<Optional<User>> users) {
        this.profile = profile;
        this.users = users;
    }

    public static StepKey key(StepLaunch launch) {
        return new StepKey(launch.getJobId(), new StepId(launch.getStepId()), launch.getAttempt());
    }

    /// The script of a batch job: one task, on the job's first node.
    public StepPlan batch(StepLaunch launch) {
        var environment = Environment.parse(launch.getEnvironment());
        var login = launch.getGetUserEnv() ? login(launch) : null;
        if (login == null) {
            account(launch, environment);
        }
        variables(launch).addTo(environment);
        openMode(launch.getOpenMode()).ifPresent(mode -> environment.put("SLURM_OPEN_MODE", mode));
        environment
                .put("SLURM_JOB_NAME", launch.getJobName())
                .put("SLURM_NODE_ALIASES", "(null)")
                .put("SLURM_GTIDS", "0")
                .put("ENVIRONMENT", "BATCH")
                .put("HOSTNAME", profile.node())
                .putIfAbsent("TMPDIR", "/tmp")
                .putIf(!launch.getExportEnv().isEmpty(), "SLURM_EXPORT_ENV", launch.getExportEnv());
        var share = jobShare(launch);
        environment.put("SLURM_CPUS_ON_NODE", share.getCpus());
        gpus(environment, share, "");
        var files = new StepFiles(launch, launch.getWorkDir(), launch.getOpenMode());
        var output = launch.getStdOut().isEmpty() ? defaultOutput(launch) : launch.getStdOut();
        var task =
                new TaskPlan(
                        0,
                        0,
                        List.of("SLURM_PROCID=0", "SLURM_LOCALID=0", "SLURM_NODEID=0"),
                        List.of(),
                        TaskPlan.Binding.OF_THE_STEP,
                        launch.getStdIn().isEmpty()
                                ? new Stdio.Null()
                                : files.input(launch.getStdIn(), 0),
                        files.output(output, 0),
                        files.error(launch.getStdErr(), output, 0));
        return new StepPlan(
                key(launch),
                profile.node(),
                user(launch),
                launch.getScriptArgsList(),
                launch.getScript(),
                environment.toList(),
                login,
                launch.getWorkDir(),
                launch.getUmask(),
                softLimits(launch.getRlimitsList()),
                nodeLimits(),
                0,
                cpus(share),
                limits(launch, share),
                timeLimit(launch),
                null,
                Duration.ofSeconds(launch.getKillWaitSeconds()),
                warning(launch, true),
                false,
                null,
                List.of(task),
                session(launch));
    }

    /// This node's tasks of a step that srun asked for.
    public StepPlan step(StepLaunch launch, RunStep run) {
        var share = launch.hasStepShare() ? launch.getStepShare() : jobShare(launch);
        var environment = Environment.parse(run.getEnvironment());
        account(launch, environment);
        variables(launch).addTo(environment);
        stepVariables(launch, run, share, environment);
        gpus(environment, share, "STEP");
        var binding = CpuBinding.parse(run.getCpuBind(), cpus(share), cpusPerTask(launch));
        binding.variables().forEach(environment::put);
        var tasks = ownTasks(launch);
        var workDirectory = run.getCwd().isEmpty() ? launch.getWorkDir() : run.getCwd();
        return new StepPlan(
                key(launch),
                profile.node(),
                user(launch),
                run.getArgvList(),
                null,
                environment.toList(),
                null,
                workDirectory,
                run.getUmask(),
                softLimits(
                        run.getRlimitsList().isEmpty()
                                ? launch.getRlimitsList()
                                : run.getRlimitsList()),
                nodeLimits(),
                0,
                cpus(share),
                limits(launch, share),
                timeLimit(launch),
                stepLimit(launch),
                Duration.ofSeconds(launch.getKillWaitSeconds()),
                warning(launch, false),
                run.getKillOnBadExit(),
                run.getPty() ? terminal(run) : null,
                taskPlans(launch, run, share, tasks, binding, workDirectory),
                session(launch));
    }

    private JobVariables variables(StepLaunch launch) {
        return new JobVariables(
                launch,
                new JobVariables.Site(profile.node(), profile.configFile(), profile.controller()));
    }

    /// What a login would have set; a job with `--export=NONE` comes without.
    private void account(StepLaunch launch, Environment environment) {
        environment.putIfAbsent("PATH", DEFAULT_PATH);
        if (launch.hasSession()) {
            profile.commands().addTo(environment);
        }
        ownUser(launch)
                .ifPresent(user ->
                        environment
                                .put("HOME", user.home())
                                .put("USER", user.name())
                                .put("LOGNAME", user.name())
                                .put("SHELL", user.shell()));
        if (environment.has("HOME") && environment.has("USER") && environment.has("SHELL")) {
            return;
        }
        users.apply(Integer.toUnsignedLong(launch.getUid()))
                .ifPresent(user ->
                        environment
                                .putIfAbsent("HOME", user.home())
                                .putIfAbsent("USER", user.name())
                                .putIfAbsent("LOGNAME", user.name())
                                .putIfAbsent("SHELL", user.shell()));
    }

    /// Whose shell is to be asked for its environment; null if nobody has this uid here.
    private StepPlan.@Nullable Login login(StepLaunch launch) {
        return ownUser(launch)
                .map(own ->
                        new User(
                                Integer.toUnsignedLong(launch.getUid()),
                                Integer.toUnsignedLong(launch.getGid()),
                                own.name(),
                                own.home(),
                                own.shell()))
                .or(() -> users.apply(Integer.toUnsignedLong(launch.getUid())))
                .map(user -> {
                    var account = new Environment();
                    account.put("HOME", user.home())
                            .put("USER", user.name())
                            .put("LOGNAME", user.name())
                            .put("SHELL", user.shell())
                            .put("MAIL", "/var/mail/" + user.name())
                            .put("PATH", DEFAULT_PATH);
                    return new StepPlan.Login(user.shell(), LOGIN_PATIENCE, account.toList());
                })
                .orElse(null);
    }

    /// Only root can keep jobs apart; without root all of them are one user's.
    private StepPlan.@Nullable Session session(StepLaunch launch) {
        if (!launch.hasSession()) {
            return null;
        }
        if (!profile.makesSessions()) {
            log.atWarn()
                    .addKeyValue("job", Integer.toUnsignedLong(launch.getJobId()))
                    .log(
                            "a session runs without isolation: only root can give it processes and temporary files of its own");
            return null;
        }
        return new StepPlan.Session(ownUser(launch).orElse(null), profile.commands().shown());
    }

    /// A user of the cloud, whom this node need not know.
    private static Optional<StepPlan.OwnUser> ownUser(StepLaunch launch) {
        var home = launch.getSession().getHome();
        return home.isEmpty()
                ? Optional.empty()
                : Optional.of(new StepPlan.OwnUser(launch.getUserName(), home, SHELL_IN_SESSIONS));
    }

    /// As srun reads it.
    private static Optional<String> openMode(OpenMode mode) {
        return switch (mode) {
            case OPEN_MODE_APPEND -> Optional.of("a");
            case OPEN_MODE_TRUNCATE -> Optional.of("t");
            case OPEN_MODE_DEFAULT, UNRECOGNIZED -> Optional.empty();
        };
    }

    private static int cpusPerTask(StepLaunch launch) {
        return Math.max(1, launch.getCpusPerTask());
    }

    private static @Nullable Duration stepLimit(StepLaunch launch) {
        return launch.getStepLimitMillis() == 0
                ? null
                : Duration.ofMillis(launch.getStepLimitMillis());
    }

    private void stepVariables(
            StepLaunch launch, RunStep run, NodeAllocation share, Environment environment) {
        var step = new StepId(launch.getStepId()).toString();
        var nodes =
                Hostlist.compress(
                        launch.getStepNodesList().stream().map(StepNode::getNode).toList());
        var perNode =
                RunLength.compress(
                        launch.getStepNodesList().stream().map(StepNode::getTaskIdsCount).toList());
        var port = Integer.toString(run.getCommPort());
        environment
                .put("SLURM_STEP_ID", step)
                .put("SLURM_STEPID", step)
                .put("SLURM_STEP_NODELIST", nodes)
                .put("SLURM_STEP_NUM_NODES", launch.getStepNodesCount())
                .put("SLURM_STEP_NUM_TASKS", launch.getStepTasks())
                .put("SLURM_STEP_TASKS_PER_NODE", perNode)
                .put("SLURM_STEP_LAUNCHER_PORT", port)
                .put("SLURM_SRUN_COMM_PORT", port)
                .put("SLURM_SRUN_COMM_HOST", run.getLaunchNodeAddress())
                .put("SLURM_LAUNCH_NODE_IPADDR", run.getLaunchNodeAddress())
                .put("SLURM_TASKS_PER_NODE", perNode)
                .put("SLURM_CPUS_ON_NODE", share.getCpus())
                .put("SLURM_UMASK", String.format(Locale.ROOT, "%04o", run.getUmask()))
                .put("SRUN_DEBUG", "3")
                .putIf(run.getLabel(), "SLURM_LABELIO", "1")
                .putIf(!run.getTerm().isEmpty(), "TERM", run.getTerm())
                .putIfAbsent("SLURM_JOB_NAME", launch.getJobName())
                .remove("SLURM_NODE_ALIASES")
                .remove("ENVIRONMENT");
        if (!run.getPreserveEnv()) {
            environment
                    .put("SLURM_NNODES", launch.getStepNodesCount())
                    .put("SLURM_NTASKS", launch.getStepTasks())
                    .put("SLURM_NPROCS", launch.getStepTasks());
        }
        var tasks = ownTasks(launch);
        environment.put("SLURM_GTIDS", JobVariables.joined(tasks));
    }

    private static List<Integer> ownTasks(StepLaunch launch) {
        return launch.getStepNodesList().stream()
                .filter(node -> node.getNode().equals(launch.getNode()))
                .findFirst()
                .map(StepNode::getTaskIdsList)
                .orElse(List.of());
    }

    private List<TaskPlan> taskPlans(
            StepLaunch launch,
            RunStep run,
            NodeAllocation share,
            List<Integer> ranks,
            CpuBinding binding,
            String workDirectory) {
        var files = new StepFiles(launch, workDirectory, run.getOpenMode());
        var plans = new ArrayList<TaskPlan>();
        for (var local = 0; local < ranks.size(); local++) {
            var rank = ranks.get(local);
            plans.add(
                    new TaskPlan(
                            rank,
                            local,
                            taskVariables(launch, run, share, rank, local, ranks.size()),
                            ownCommand(run, rank),
                            binding.of(local),
                            input(run, files, rank),
                            output(run, files, rank),
                            error(run, files, rank)));
        }
        return plans;
    }

    private static List<String> taskVariables(
            StepLaunch launch, RunStep run, NodeAllocation share, int rank, int local, int tasks) {
        var variables = new ArrayList<String>();
        variables.add("SLURM_PROCID=" + rank);
        variables.add("SLURM_LOCALID=" + local);
        variables.add("SLURM_NODEID=" + launch.getNodeId());
        var gpus = JobVariables.gpus(share);
        var each = launch.getGpusPerTask();
        var binding = gpuBinding(run);
        if (!(binding instanceof GpuBinding.Unspecified)) {
            var own = JobVariables.joined(binding.visible(local, gpus));
            variables.addAll(gpus.isEmpty() ? List.of() : visibleDevices(own));
        } else if (each > 0 && gpus.size() >= each * tasks) {
            var own = JobVariables.joined(gpus.subList(local * each, (local + 1) * each));
            variables.addAll(visibleDevices(own));
            variables.add("SLURM_STEP_GPUS=" + own);
            variables.add("SLURM_GPUS_PER_TASK=" + each);
        } else if (launch.getTasksPerGpu() > 0 && local / launch.getTasksPerGpu() < gpus.size()) {
            var own = gpus.subList(local / launch.getTasksPerGpu(), gpus.size()).getFirst();
            variables.addAll(visibleDevices(own.toString()));
            variables.add("SLURM_STEP_GPUS=" + own);
        }
        return variables;
    }

    /// The commands take no other; what another program wrote binds nothing.
    private static GpuBinding gpuBinding(RunStep run) {
        try {
            return GpuBinding.parse(run.getGpuBind());
        } catch (NotationException _) {
            return new GpuBinding.Unspecified();
        }
    }

    private static List<String> ownCommand(RunStep run, int rank) {
        return run.getMultiList().stream()
                .filter(program -> program.getTask() == rank)
                .findFirst()
                .map(MultiProgram::getArgvList)
                .map(List::<String>copyOf)
                .orElse(List.of());
    }

    private static Stdio input(RunStep run, StepFiles files, int rank) {
        if (run.getPty()) {
            return rank == 0 ? new Stdio.Terminal() : new Stdio.Null();
        }
        if (!run.getStdIn().isEmpty()) {
            return files.input(run.getStdIn(), rank);
        }
        var reads = run.getStdinTask() == INPUT_FOR_ALL || run.getStdinTask() == rank;
        return reads ? new Stdio.Streamed() : new Stdio.Null();
    }

    private static Stdio output(RunStep run, StepFiles files, int rank) {
        if (run.getPty()) {
            return rank == 0 ? new Stdio.Terminal() : new Stdio.Null();
        }
        return run.getStdOut().isEmpty()
                ? new Stdio.Streamed()
                : files.output(run.getStdOut(), rank);
    }

    private static Stdio error(RunStep run, StepFiles files, int rank) {
        if (run.getPty()) {
            return rank == 0 ? new Stdio.Terminal() : new Stdio.Null();
        }
        if (run.getStdErr().isEmpty()) {
            return run.getStdOut().isEmpty() ? new Stdio.Streamed() : new Stdio.SameAsOutput();
        }
        return run.getStdOut().isEmpty()
                ? files.output(run.getStdErr(), rank)
                : files.error(run.getStdErr(), run.getStdOut(), rank);
    }

    private static StepPlan.Terminal terminal(RunStep run) {
        return new StepPlan.Terminal(
                run.getTerminal().getRows(),
                run.getTerminal().getColumns(),
                Math.clamp(Integer.toUnsignedLong(run.getKeptOutput()), 0, MOST_KEPT));
    }

    /// `SLURM_JOB_GPUS` and `SLURM_STEP_GPUS` hold the node's own numbers; what the GPU libraries
    /// read counts the devices they can see.
    private void gpus(Environment environment, NodeAllocation share, String scope) {
        var gpus = JobVariables.gpus(share);
        if (gpus.isEmpty()) {
            return;
        }
        environment.put("SLURM_GPUS_ON_NODE", gpus.size());
        environment.putIf(!scope.isEmpty(), "SLURM_STEP_GPUS", JobVariables.joined(gpus));
        for (var variable : visibleDevices(JobVariables.joined(gpus))) {
            var equals = variable.indexOf('=');
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
    }

    private static List<String> visibleDevices(String indices) {
        return List.of(
                "CUDA_VISIBLE_DEVICES=" + indices,
                "GPU_DEVICE_ORDINAL=" + indices,
                "ROCR_VISIBLE_DEVICES=" + indices);
    }

    private NodeAllocation jobShare(StepLaunch launch) {
        return JobVariables.own(launch.getJobNodesList(), launch.getNode())
                .orElse(NodeAllocation.getDefaultInstance());
    }

    private static String defaultOutput(StepLaunch launch) {
        return launch.hasArrayTaskId() ? DEFAULT_ARRAY_OUTPUT : DEFAULT_OUTPUT;
    }

    private static StepPlan.User user(StepLaunch launch) {
        return new StepPlan.User(launch.getUid(), launch.getGid(), launch.getGroupsList());
    }

    private String cpus(NodeAllocation share) {
        return profile.bindsCpus() ? share.getCpuIds() : "";
    }

    private StepLimits limits(StepLaunch launch, NodeAllocation share) {
        var job = jobShare(launch);
        return new StepLimits(
                job.getMemMb() * MIB,
                cpus(share),
                profile.bindsCpus() ? job.getCpus() : 0,
                profile.maxProcesses(job.getCpus()),
                deniedDevices(JobVariables.gpus(share)));
    }

    private List<String> deniedDevices(List<Integer> allowed) {
        var denied = new ArrayList<String>();
        for (var index = 0; index < profile.gpuFiles().size(); index++) {
            if (!allowed.contains(index)) {
                denied.add(profile.gpuFiles().get(index));
            }
        }
        return denied;
    }

    private List<String> softLimits(List<Rlimit> limits) {
        var spelled = new ArrayList<String>();
        for (var limit : limits) {
            var name =
                    limit.getName().toUpperCase(Locale.ROOT).replaceFirst("^(SLURM_)?RLIMIT_", "");
            var value = limit.getUnlimited() ? "unlimited" : Long.toUnsignedString(limit.getSoft());
            spelled.add(name + "=" + value);
        }
        return spelled;
    }

    private List<String> nodeLimits() {
        return profile.memlock().equals("inherit")
                ? List.of()
                : List.of("MEMLOCK=" + profile.memlock());
    }

    private static @Nullable Duration timeLimit(StepLaunch launch) {
        return launch.getRemainingMillis() < 0
                ? null
                : Duration.ofMillis(launch.getRemainingMillis());
    }

    /// `--signal` goes to the batch shell with `B:`, otherwise to the steps.
    private static StepPlan.@Nullable Warning warning(StepLaunch launch, boolean batch) {
        if (launch.getSignal().isEmpty()) {
            return null;
        }
        try {
            var spec = SignalSpec.parse(launch.getSignal());
            return spec.toBatchShell() == batch
                    ? new StepPlan.Warning(spec.signal().number(), spec.before(), batch)
                    : null;
        } catch (NotationException _) {
            return null; // the controller has checked it; a newer spelling is no reason to fail
            // here
        }
    }
}
