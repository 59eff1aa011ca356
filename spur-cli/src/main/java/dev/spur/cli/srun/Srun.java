package dev.spur.cli.srun;

import static dev.spur.cli.ProcessSignal.HUP;
import static dev.spur.cli.ProcessSignal.INT;
import static dev.spur.cli.ProcessSignal.QUIT;
import static dev.spur.cli.ProcessSignal.TERM;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreateStepRequest;
import dev.spur.api.v1.CreatedStep;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.Refusal;
import dev.spur.cli.options.Source;
import dev.spur.cli.submission.Allocation;
import dev.spur.cli.submission.ExportedEnvironment;
import dev.spur.cli.submission.JobDescription;
import dev.spur.cli.submission.JobEvents;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.JobWatch;
import dev.spur.cli.submission.KnownOutcome;
import dev.spur.cli.submission.Planned;
import dev.spur.cli.submission.Refused;
import dev.spur.cli.submission.Remembered;
import dev.spur.cli.submission.TasksOfGpus;
import dev.spur.cli.submission.Voice;
import dev.spur.model.ErrorCode;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.FileNamePattern;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.RunLength;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `srun [OPTIONS] COMMAND [ARGUMENTS]`
public final class Srun implements Tool {
    private static final Duration FIRST_RETRY = Duration.ofMillis(50);
    private static final Duration LAST_RETRY = Duration.ofSeconds(2);

    private final Connector connector;

    public Srun(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return SrunOptions.TABLE.run(in, arguments -> new Call(in, arguments).run());
    }

    /// Runs with these words in place of the caller's.
    public int run(Invocation in, List<String> words) throws Exception {
        return SrunOptions.TABLE.run(in, words, arguments -> new Call(in, arguments).run());
    }

    /// One call of srun.
    private final class Call {
        private final Invocation in;
        private final Arguments arguments;
        private final Voice voice;
        private final ControllerClient controller;

        Call(Invocation in, Arguments arguments) {
            this.in = in;
            this.arguments = arguments;
            this.voice = Voice.of(in, arguments);
            this.controller = connector.connect(in);
        }

        int run() throws IOException, InterruptedException {
            if (arguments.get(SrunOptions.MPI, "none").equals("list")) {
                in.out().print("MPI plugin types are...\n\tnone\n");
                return 0;
            }
            if (arguments.operands().isEmpty()) {
                throw new Refusal(1, in.program() + ": fatal: No command given to execute.");
            }
            if (arguments.operands().contains(":")) {
                voice.error("heterogeneous steps (\":\") are not supported yet");
                return 1;
            }
            voice.describe(arguments);
            in.takesLong();
            if (arguments.has(SrunOptions.TEST_ONLY)) {
                return test();
            }
            if (!controller.reachesAgents()) {
                voice.error(
                        "this host has no certificate of the cluster, and with a token alone the nodes cannot be "
                                + "reached. Use srun on a host of the cluster, or sbatch here.");
                return 1;
            }
            return arguments.has(SrunOptions.JOBID)
                    ? inJob(arguments.get(SrunOptions.JOBID, 0))
                    : inOwnJob();
        }

        private int test() throws IOException {
            var request = allocationRequest();
            try {
                in.err()
                        .println(
                                Planned.sentence(
                                        in, controller.call(stub -> stub.testJob(request))));
                return 0;
            } catch (ControllerException refusal) {
                in.err().println("allocation failure: " + Refused.text(refusal));
                return 1;
            }
        }

        private int inOwnJob() throws IOException, InterruptedException {
            try (var events = new JobEvents(in)) {
                var asked =
                        Allocation.submit(
                                in,
                                arguments,
                                controller,
                                events,
                                Allocation.Style.SRUN,
                                allocationRequest());
                if (asked.isEmpty()) {
                    return errorExitCode();
                }
                try (var allocation = asked.get()) {
                    var job =
                            allocation.await(
                                    arguments
                                            .get(SrunOptions.IMMEDIATE)
                                            .map(Allocation::immediately));
                    if (job.isEmpty()) {
                        return Allocation.refusedExitCode(in, arguments.has(SrunOptions.IMMEDIATE));
                    }
                    describeJob(job.get());
                    var exitCode = step(events, stepRequest(allocation.jobId(), job.get(), true));
                    allocation.finish(exitCode);
                    return exitCode;
                }
            }
        }

        private SubmitJobRequest allocationRequest() throws IOException {
            var spec =
                    JobDescription.of(in, arguments)
                            .setKind(JobKind.JOB_KIND_OWN_STEP)
                            .addAllRlimits(limits());
            if (spec.getName().isEmpty()) {
                spec.setName(commandName());
            }
            return SubmitJobRequest.newBuilder()
                    .setRequestId(request())
                    .setSpec(spec)
                    .setEnvironment(
                            ExportedEnvironment.encode(
                                    ExportedEnvironment.of(in.environment(), null), in.charset()))
                    .build();
        }

        private int inJob(int jobId) throws IOException, InterruptedException {
            try (var events = new JobEvents(in).listen(EnumSet.of(INT, QUIT, TERM, HUP))) {
                var request = stepRequest(jobId, jobOf(jobId), false);
                in.memory()
                        .farewell(
                                "The step goes on in job %s: see squeue -s -j %s."
                                        .formatted(
                                                Integer.toUnsignedString(jobId),
                                                Integer.toUnsignedString(jobId)));
                events.watch(controller, jobId);
                return step(events, request);
            } catch (ControllerException refusal) {
                return noJob(jobId, refusal);
            }
        }

        /// Of the job, the same behind every door.
        private String request() {
            return in.memory().once(Remembered.REQUEST, in::newRequestId);
        }

        private String stepRequestId() {
            return in.memory()
                    .recall(Remembered.STEP)
                    .map(kept -> new String(kept, StandardCharsets.UTF_8))
                    .orElse(request() + "-step");
        }

        private String newStepRequestId() {
            var id = in.newRequestId();
            in.memory().keep(Remembered.STEP, id.getBytes(StandardCharsets.UTF_8));
            return id;
        }

        /// The job, if its size is needed to size the step.
        private @Nullable Job jobOf(int jobId) {
            if (arguments.hasAny(JobOptions.NODES, JobOptions.NTASKS, JobOptions.NODELIST)) {
                return null;
            }
            var request =
                    ListJobsRequest.newBuilder().addIds(Integer.toUnsignedString(jobId)).build();
            var found = new Job[1];
            controller.<ListJobsReply>each(
                    stub -> stub.listJobs(request),
                    page ->
                            page.getJobsList().stream()
                                    .findFirst()
                                    .ifPresent(job -> found[0] = job));
            return found[0];
        }

        private int noJob(int jobId, ControllerException refusal) {
            var id = Integer.toUnsignedString(jobId);
            voice.error(
                    "Unable to confirm allocation for job %s: %s"
                            .formatted(id, Refused.text(refusal)));
            if (Refused.is(refusal, ErrorCode.INVALID_JOB)) {
                voice.say("Check SLURM_JOB_ID environment variable. Expired or invalid job " + id);
            }
            return errorExitCode();
        }

        /// @param own whether the job was made for this step, which then has all of it
        private CreateStepRequest stepRequest(int jobId, @Nullable Job job, boolean own)
                throws IOException {
            var perNode = arguments.get(JobOptions.NTASKS_PER_NODE, 0);
            var nodeList = JobDescription.nodes(in, arguments.get(JobOptions.NODELIST, ""));
            var asked = arguments.get(JobOptions.NODES);
            int least = asked.map(count -> count.least()).orElse(0);
            int most = asked.map(count -> count.most()).orElse(0);
            if (asked.isEmpty() && !arguments.has(JobOptions.NTASKS)) {
                least =
                        nodeList.isEmpty()
                                ? (job == null ? 1 : Math.max(1, job.getNumNodes()))
                                : hosts(nodeList);
                most = least;
            }
            if (own && job != null && !arguments.has(JobOptions.NTASKS)) {
                least = Math.max(1, job.getNumNodes());
                most = least;
            }
            var given = tasks(job, least);
            if (given.isPresent() && given.get() < least) {
                if (arguments.source(JobOptions.NODES).equals(Optional.of(Source.COMMAND_LINE))) {
                    voice.say(
                            "Warning: can't run %d processes on %d nodes, setting nnodes to %d"
                                    .formatted(given.get(), least, given.get()));
                }
                least = given.get();
                most = given.get();
            }
            var request =
                    CreateStepRequest.newBuilder()
                            .setRequestId(stepRequestId())
                            .setJobId(jobId)
                            .setName(stepName())
                            .setNodes(least == most ? least : 0)
                            .setMinNodes(least)
                            .setMaxNodes(most)
                            .setTasks(given.orElse(Math.max(1, least) * Math.max(1, perNode)))
                            .setCpusPerTask(arguments.get(JobOptions.CPUS_PER_TASK, 0))
                            .setTasksPerNode(perNode)
                            .setNodeList(nodeList)
                            .setExclude(
                                    JobDescription.nodes(in, arguments.get(JobOptions.EXCLUDE, "")))
                            .setGresPerNode(perNodeGres())
                            .setGresPerStep(unlessPerNode(JobOptions.GPUS))
                            .setGresPerTask(unlessPerNode(JobOptions.GPUS_PER_TASK))
                            .setExact(
                                    arguments.hasAny(SrunOptions.EXACT, JobOptions.CPUS_PER_TASK)
                                            || !own && arguments.has(JobOptions.EXCLUSIVE))
                            .setOverlap(arguments.has(SrunOptions.OVERLAP))
                            .setDistribution(arguments.get(JobOptions.DISTRIBUTION, ""))
                            .setOvercommit(arguments.has(JobOptions.OVERCOMMIT))
                            .setStdOut(arguments.get(SrunOptions.OUTPUT, ""))
                            .setStdErr(arguments.get(SrunOptions.ERROR, ""))
                            .setStdIn(arguments.get(SrunOptions.INPUT, ""));
            arguments
                    .get(JobOptions.MEM)
                    .ifPresent(size -> request.setMemPerNodeMb(size.mebibytes()));
            arguments
                    .get(JobOptions.MEM_PER_CPU)
                    .ifPresent(size -> request.setMemPerCpuMb(size.mebibytes()));
            arguments
                    .get(JobOptions.TIME)
                    .ifPresent(limit -> request.setTimeLimit(JobDescription.wire(limit)));
            return request.build();
        }

        /// How many tasks were asked for, by number or through what they get; empty: one per node.
        private Optional<Integer> tasks(@Nullable Job job, int nodes) {
            if (arguments.hasAny(JobOptions.NTASKS, JobOptions.NTASKS_PER_NODE)) {
                return arguments.get(JobOptions.NTASKS);
            }
            var ofGpus = TasksOfGpus.of(arguments, Math.max(1, nodes));
            return ofGpus.isPresent() ? ofGpus : tasksOfCpus(job);
        }

        /// With `-c` alone, as many tasks as the job's processors hold (srun(1),
        /// `--cpus-per-task`).
        private Optional<Integer> tasksOfCpus(@Nullable Job job) {
            var each = arguments.get(JobOptions.CPUS_PER_TASK, 0);
            var isAsked =
                    arguments
                            .source(JobOptions.CPUS_PER_TASK)
                            .equals(Optional.of(Source.COMMAND_LINE));
            if (job == null || each == 0 || !isAsked) {
                return Optional.empty();
            }
            var tasks =
                    job.getNodesCount() > 0
                            ? job.getNodesList().stream()
                                    .mapToInt(node -> node.getCpus() / each)
                                    .sum()
                            : job.getNumCpus() / each;
            return Optional.of(Math.max(tasks, job.getNumNodes()));
        }

        private String perNodeGres() {
            var isOfNodes = arguments.has(JobOptions.GPUS_PER_NODE) && !isTyped(JobOptions.GRES);
            return arguments
                    .get(isOfNodes ? JobOptions.GPUS_PER_NODE : JobOptions.GRES, GresRequest.NONE)
                    .toString();
        }

        /// Who types how much a step has of each node means that, whatever the job was asked for
        /// and its environment therefore says.
        private String unlessPerNode(Option<GresRequest> option) {
            var isTypedPerNode = isTyped(JobOptions.GRES) || isTyped(JobOptions.GPUS_PER_NODE);
            return isTypedPerNode && !isTyped(option)
                    ? ""
                    : arguments.get(option, GresRequest.NONE).toString();
        }

        private boolean isTyped(Option<?> option) {
            return arguments.source(option).equals(Optional.of(Source.COMMAND_LINE));
        }

        private static int hosts(String nodeList) {
            return Math.max(1, Hostlist.parse(nodeList).size());
        }

        private int step(JobEvents events, CreateStepRequest request)
                throws IOException, InterruptedException {
            var created = create(events, request);
            return created.isEmpty() ? errorExitCode() : run(events, created.get());
        }

        /// Asks for the step until there is room for it. Empty when it cannot be, which was then
        /// said.
        private Optional<CreatedStep> create(JobEvents events, CreateStepRequest request)
                throws InterruptedException {
            var id = Integer.toUnsignedString(request.getJobId());
            var pause = FIRST_RETRY;
            var waited = false;
            while (true) {
                CreateStepReply reply;
                try {
                    // a try that found no room is over: the next one is a request of its own
                    var attempt =
                            waited
                                    ? request.toBuilder().setRequestId(newStepRequestId()).build()
                                    : request;
                    reply =
                            KnownOutcome.of(
                                    () -> controller.call(stub -> stub.createStep(attempt)));
                } catch (ControllerException refusal) {
                    if (Refused.is(refusal, ErrorCode.INVALID_JOB)) {
                        noJob(request.getJobId(), refusal);
                    } else if (Refused.message(refusal).startsWith("Only allocated ")) {
                        voice.error(Refused.message(refusal)); // Slurm's words
                    } else {
                        voice.error(
                                "Unable to create step for job %s: %s"
                                        .formatted(id, Refused.text(refusal)));
                        voice.mention(Refused.message(refusal));
                    }
                    return Optional.empty();
                }
                if (reply.hasCreated()) {
                    var created = reply.getCreated();
                    if (waited) {
                        voice.say("Step created for job " + id);
                    }
                    return Optional.of(created);
                }
                if (arguments.has(SrunOptions.IMMEDIATE)) {
                    voice.error(
                            "Unable to create step for job %s: %s"
                                    .formatted(id, ErrorCode.NODES_BUSY.text()));
                    return Optional.empty();
                }
                if (!waited) {
                    waited = true;
                    voice.say(
                            "Job %s step creation temporarily disabled, retrying (%s)"
                                    .formatted(id, ErrorCode.NODES_BUSY.text()));
                }
                switch (events.next(pause)) {
                    case JobEvents.Caught(var signal) -> {
                        voice.say("Cancelled pending job step with signal " + signal.number());
                        return Optional.empty();
                    }
                    case JobEvents.Changed(var update)
                            when update.getEnded() || JobWatch.hasEnded(update.getJob()) -> {
                        voice.error(
                                "Unable to create step for job %s: %s"
                                        .formatted(id, ErrorCode.ALREADY_DONE.text()));
                        return Optional.empty();
                    }
                    case null -> {}
                    case JobEvents.Event _ -> {}
                }
                pause =
                        pause.multipliedBy(2).compareTo(LAST_RETRY) < 0
                                ? pause.multipliedBy(2)
                                : LAST_RETRY;
            }
        }

        private int run(JobEvents events, CreatedStep step)
                throws IOException, InterruptedException {
            var launch = firstLaunch(step);
            try (var streams =
                            StandardStreams.of(
                                    in,
                                    arguments,
                                    step.getTasks(),
                                    rank -> values(step, launch, rank));
                    var _ = rawTerminal()) {
                return new StepRun(
                                in,
                                arguments,
                                controller,
                                events,
                                step,
                                streams,
                                launch.getKillWaitSeconds())
                        .run(runStep(step, streams));
            }
        }

        private static StepLaunch firstLaunch(CreatedStep step)
                throws InvalidProtocolBufferException {
            return step.getLaunchesCount() == 0
                    ? StepLaunch.getDefaultInstance()
                    : StepLaunch.parseFrom(step.getLaunches(0).getLaunch());
        }

        private FileNamePattern.Values values(CreatedStep step, StepLaunch launch, int rank) {
            var node = 0;
            while (node + 1 < step.getNodesCount()
                    && !step.getNodes(node).getTaskIdsList().contains(rank)) {
                node++;
            }
            var array =
                    launch.hasArrayTaskId()
                            ? new FileNamePattern.ArrayTask(
                                    launch.getArrayJobId(), launch.getArrayTaskId())
                            : null;
            return new FileNamePattern.Values(
                    step.getJobId(),
                    array,
                    step.getStepId(),
                    step.getNodesCount() == 0 ? "" : step.getNodes(node).getNode(),
                    node,
                    rank,
                    in.caller().name(),
                    launch.getJobName(),
                    launch.getRestarts());
        }

        private Terminal.RawMode rawTerminal() {
            return arguments.has(SrunOptions.PTY) && in.terminal().isTerminal(Terminal.INPUT)
                    ? in.terminal().raw()
                    : () -> {};
        }

        private RunStep.Builder runStep(CreatedStep step, StandardStreams streams)
                throws IOException {
            var pty = arguments.has(SrunOptions.PTY);
            var run =
                    RunStep.newBuilder()
                            .addAllArgv(arguments.operands())
                            .setEnvironment(ExportedEnvironment.encode(environment(), in.charset()))
                            .setCwd(
                                    JobDescription.directory(
                                            in,
                                            arguments.get(JobOptions.CHDIR, in.workingDirectory())))
                            .setLabel(arguments.has(SrunOptions.LABEL))
                            .setPty(pty)
                            .setStdOut(streams.outputOnNodes())
                            .setStdErr(streams.errorOnNodes())
                            .setStdIn(streams.inputOnNodes())
                            .setOpenMode(
                                    arguments.get(
                                            SrunOptions.OPEN_MODE, OpenMode.OPEN_MODE_DEFAULT))
                            .setUnbuffered(arguments.has(SrunOptions.UNBUFFERED) || pty)
                            .setKillOnBadExit(arguments.get(SrunOptions.KILL_ON_BAD_EXIT, false))
                            .setStdinTask(pty ? 0 : streams.inputTask())
                            .setUmask(in.umask())
                            .addAllRlimits(limits())
                            .setCpuBind(arguments.get(SrunOptions.CPU_BIND, ""))
                            .setGpuBind(arguments.get(JobOptions.GPU_BIND, ""))
                            .setPreserveEnv(arguments.has(SrunOptions.PRESERVE_ENV))
                            .setWaitSeconds(arguments.get(SrunOptions.WAIT, 0))
                            .setLaunchNodeAddress(
                                    LaunchAddress.towards(step.getNodes(0).getAddress()));
            if (pty) {
                run.setTerminal(StepRun.size(in));
                var term = in.environment("TERM");
                run.setTerm(term == null ? "" : term);
            }
            if (arguments.has(SrunOptions.MULTI_PROG)) {
                run.addAllMulti(
                        MultiProgramFile.read(
                                in, arguments.operands().getFirst(), step.getTasks()));
            }
            return run;
        }

        /// What the tasks get of the caller's environment, and what srun adds; the agent adds the
        /// rest.
        private Map<String, String> environment() {
            var export = arguments.get(SrunOptions.EXPORT).orElse(null);
            var environment =
                    new LinkedHashMap<>(ExportedEnvironment.ofStep(in.environment(), export));
            environment.put("SLURM_UMASK", "%04o".formatted(in.umask()));
            environment.put(
                    "SRUN_DEBUG", Integer.toString(3 + arguments.count(JobOptions.VERBOSE)));
            if (arguments.has(SrunOptions.LABEL)) {
                environment.put("SLURM_LABELIO", "1");
            }
            if (export != null) {
                environment.put("SLURM_EXPORT_ENV", export);
            }
            if (arguments.source(JobOptions.JOB_NAME).equals(Optional.of(Source.COMMAND_LINE))) {
                environment.put("SLURM_JOB_NAME", stepName());
            }
            arguments
                    .get(JobOptions.DISTRIBUTION)
                    .ifPresent(text -> environment.put("SLURM_DISTRIBUTION", text));
            return environment;
        }

        private List<dev.spur.api.v1.Rlimit> limits() {
            return JobDescription.limits(in, arguments.get(SrunOptions.PROPAGATE, "ALL"));
        }

        private String commandName() {
            return String.valueOf(Path.of(arguments.operands().getFirst()).getFileName());
        }

        /// The name of the job is not that of its steps.
        private String stepName() {
            var isForStep =
                    arguments.source(JobOptions.JOB_NAME).equals(Optional.of(Source.COMMAND_LINE))
                            || !arguments.has(SrunOptions.JOBID);
            return isForStep
                    ? arguments.get(JobOptions.JOB_NAME).orElseGet(this::commandName)
                    : commandName();
        }

        private int errorExitCode() {
            var variable = in.environment("SLURM_EXIT_ERROR");
            return variable != null && variable.matches("\\d{1,3}")
                    ? Integer.parseInt(variable) & 0xff
                    : 1;
        }

        private void describeJob(Job job) {
            var cpus =
                    job.getNodesList().isEmpty()
                            ? List.of(job.getNumCpus())
                            : job.getNodesList().stream().map(NodeAllocation::getCpus).toList();
            voice.mention(
                    "jobid %s: nodes(%d):`%s', cpu counts: %s"
                            .formatted(
                                    Integer.toUnsignedString(job.getJobId()),
                                    job.getNumNodes(),
                                    job.getNodeList(),
                                    repetitions(cpus)));
        }

        /// `3(x1),1(x2)`: unlike elsewhere, also a single count says how often.
        private static String repetitions(List<Integer> counts) {
            return Arrays.stream(RunLength.compress(counts).split(",", -1))
                    .map(count -> count.endsWith(")") ? count : count + "(x1)")
                    .collect(Collectors.joining(","));
        }
    }
}
