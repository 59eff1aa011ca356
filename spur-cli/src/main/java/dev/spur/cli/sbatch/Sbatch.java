package dev.spur.cli.sbatch;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.ExportedEnvironment;
import dev.spur.cli.submission.JobDescription;
import dev.spur.cli.submission.JobEnvironment;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.JobWatch;
import dev.spur.cli.submission.Planned;
import dev.spur.cli.submission.Refused;
import dev.spur.cli.submission.Remembered;
import dev.spur.cli.submission.Voice;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// `sbatch [OPTIONS] SCRIPT [ARGUMENTS]`
public final class Sbatch implements Tool {
    private static final Option<String> ARRAY =
            Option.text("array", "INDEXES")
                    .letter('a')
                    .from("SBATCH_ARRAY_INX")
                    .help("one job for each index: 0-9, 1,3,5-7, 0-99%4");
    private static final Option<String> ERROR =
            Option.text("error", "FILE")
                    .letter('e')
                    .from("SBATCH_ERROR")
                    .help("standard error of the job");
    private static final Option<String> EXPORT =
            Option.text("export", "ALL|NONE|NAMES")
                    .from("SBATCH_EXPORT")
                    .help("which variables the job gets");
    private static final Option<String> GET_USER_ENV =
            Option.optional("get-user-env", "TIMEOUT[S|L]", "", Sbatch::userEnvironment)
                    .from("SBATCH_GET_USER_ENV")
                    .help("build the environment as a login does; a node waits 30 s for it");
    private static final Option<Boolean> IGNORE_PBS =
            Option.flag("ignore-pbs").from("SBATCH_IGNORE_PBS").help("leave #PBS lines alone");
    private static final Option<String> INPUT =
            Option.text("input", "FILE")
                    .letter('i')
                    .from("SBATCH_INPUT")
                    .help("standard input of the job");
    private static final Option<Boolean> KILL_ON_INVALID_DEPENDENCY =
            Option.of("kill-on-invalid-dep", "yes|no", Sbatch::yesOrNo)
                    .help("cancel the job when its dependency can never be met");
    private static final Option<Boolean> NO_REQUEUE =
            Option.flag("no-requeue")
                    .from("SBATCH_NO_REQUEUE")
                    .replaces("requeue")
                    .help("never start the job a second time");
    private static final Option<OpenMode> OPEN_MODE =
            Option.of("open-mode", "append|truncate", JobOptions::openMode)
                    .from("SBATCH_OPEN_MODE")
                    .help("what to do with output files that exist");
    private static final Option<String> OUTPUT =
            Option.text("output", "FILE")
                    .letter('o')
                    .from("SBATCH_OUTPUT")
                    .help("standard output of the job (slurm-%j.out)");
    private static final Option<Boolean> PARSABLE =
            Option.flag("parsable").help("print only the job id");
    private static final Option<String> PROPAGATE =
            Option.optional("propagate", "LIMITS", "ALL", text -> text)
                    .help("resource limits the job inherits");
    private static final Option<Boolean> REQUEUE =
            Option.flag("requeue")
                    .from("SBATCH_REQUEUE")
                    .replaces("no-requeue")
                    .help("the job may be started again");
    private static final Option<Boolean> TEST_ONLY =
            Option.flag("test-only").help("only say when the job would start");
    private static final Option<Boolean> WAIT =
            Option.flag("wait")
                    .letter('W')
                    .from("SBATCH_WAIT")
                    .help("return when the job has ended");
    private static final Option<String> WRAP =
            Option.text("wrap", "COMMAND").help("run this command as the script");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] SCRIPT [ARGUMENTS...]")
                    .operandsEndOptions()
                    .usageExitCode(255)
                    .helpLetter()
                    .options(JobOptions.shared("SBATCH_"))
                    .options(
                            ARRAY,
                            ERROR,
                            EXPORT,
                            GET_USER_ENV,
                            IGNORE_PBS,
                            INPUT,
                            KILL_ON_INVALID_DEPENDENCY,
                            NO_REQUEUE,
                            OPEN_MODE,
                            OUTPUT,
                            PARSABLE,
                            PROPAGATE,
                            REQUEUE,
                            TEST_ONLY,
                            WAIT,
                            JobOptions.WAIT_ALL_NODES.from("SBATCH_WAIT_ALL_NODES"),
                            WRAP,
                            Option.text("batch", "FEATURES").from("SBATCH_BATCH").unsupported(),
                            Option.text("export-file", "FILE").unsupported());

    private final Connector connector;

    public Sbatch(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        var waiting = in.memory().recall(Remembered.JOB);
        if (waiting.isPresent()) {
            return new Call(in)
                    .waitFor(connector.connect(in), ByteBuffer.wrap(waiting.get()).getInt());
        }
        var call = new Call(in);
        return TABLE.run(in, call::directives, call::submit);
    }

    private static String userEnvironment(String text) {
        if (text.matches("\\d*[Ss]")) {
            throw new Failure(
                    "--get-user-env=S is not supported: only a login (L) tells its environment");
        }
        if (!text.matches("\\d*[Ll]?")) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static boolean yesOrNo(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "yes", "y", "true", "1" -> true;
            case "no", "n", "false", "0" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    /// One call of sbatch. The script is read once: it may come from standard input.
    private final class Call {
        private final Invocation in;
        private @Nullable BatchScript script;

        Call(Invocation in) {
            this.in = in;
        }

        List<List<String>> directives(Arguments commandLine) throws IOException {
            script = read(commandLine);
            return new ScriptDirectives(script, Voice.of(in, commandLine))
                    .find(commandLine.has(IGNORE_PBS));
        }

        private BatchScript read(Arguments arguments) throws IOException {
            var operands = arguments.operands();
            if (!operands.isEmpty() && operands.getFirst().equals(":")) {
                throw new Failure("heterogeneous jobs (\":\") are not supported yet");
            }
            var wrapped = arguments.get(WRAP);
            if (wrapped.isEmpty()) {
                return operands.isEmpty()
                        ? BatchScript.fromInput(in, "sbatch")
                        : BatchScript.named(in, operands.getFirst());
            }
            if (!operands.isEmpty()) {
                throw new Failure("Script arguments not permitted with --wrap option");
            }
            return BatchScript.wrapping(wrapped.get());
        }

        int submit(Arguments arguments) throws IOException {
            var voice = Voice.of(in, arguments);
            voice.describe(arguments);
            var request = request(arguments, Objects.requireNonNull(script));
            var controller = connector.connect(in);
            if (arguments.has(TEST_ONLY)) {
                return test(controller, request);
            }
            try {
                var reply = controller.call(stub -> stub.submitJob(request));
                reply.getWarningsList().forEach(voice::warn);
                if (arguments.has(PARSABLE)) {
                    in.out().println(id(reply.getJobId()));
                } else if (!arguments.has(JobOptions.QUIET)) {
                    in.out().println("Submitted batch job " + id(reply.getJobId()));
                }
                return arguments.has(WAIT) ? waitFor(controller, reply.getJobId()) : 0;
            } catch (ControllerException refusal) {
                Refused.explain(voice, "Batch job submission failed: ", refusal);
                return 1;
            }
        }

        private SubmitJobRequest request(Arguments arguments, BatchScript batch)
                throws IOException {
            var export = arguments.get(EXPORT).orElse(null);
            var spec =
                    JobDescription.of(in, arguments)
                            .setKind(JobKind.JOB_KIND_BATCH)
                            .setCommand(batch.path())
                            .setStdOut(arguments.get(OUTPUT, ""))
                            .setStdErr(arguments.get(ERROR, ""))
                            .setStdIn(arguments.get(INPUT, ""))
                            .setOpenMode(arguments.get(OPEN_MODE, OpenMode.OPEN_MODE_DEFAULT))
                            .setArray(array(arguments))
                            .setExportEnv(export == null ? "" : export)
                            .setGetUserEnv(
                                    arguments.has(GET_USER_ENV)
                                            || ExportedEnvironment.loadsLoginEnvironment(export))
                            .setKillOnInvalidDependency(
                                    arguments.get(KILL_ON_INVALID_DEPENDENCY, false))
                            .addAllRlimits(
                                    JobDescription.limits(in, arguments.get(PROPAGATE, "ALL")));
            if (!arguments.operands().isEmpty()) {
                spec.addAllScriptArgs(arguments.operands().subList(1, arguments.operands().size()));
            }
            if (spec.getName().isEmpty()) {
                spec.setName(batch.name());
            }
            if (arguments.hasAny(REQUEUE, NO_REQUEUE)) {
                spec.setRequeue(arguments.has(REQUEUE));
            }
            return SubmitJobRequest.newBuilder()
                    .setRequestId(in.newRequestId())
                    .setSpec(spec)
                    .setScript(batch.content())
                    .setEnvironment(
                            ExportedEnvironment.encode(
                                    environment(arguments, export), in.charset()))
                    .build();
        }

        /// What the job gets, and what its own `srun` has to know of what was asked for here.
        private Map<String, String> environment(Arguments arguments, @Nullable String export) {
            var environment = new LinkedHashMap<>(ExportedEnvironment.of(in.environment(), export));
            JobEnvironment.forSteps(environment, arguments);
            return environment;
        }

        private static String array(Arguments arguments) {
            var array = arguments.get(ARRAY, "");
            if (!array.isEmpty()) {
                try {
                    ArraySpec.parse(array);
                } catch (NotationException _) {
                    throw new Failure(
                            "Batch job submission failed: " + ErrorCode.INVALID_ARRAY.text());
                }
            }
            return array;
        }

        /// `--test-only`: Slurm says it on standard error, and without its name when it cannot be.
        private int test(ControllerClient controller, SubmitJobRequest request) {
            try {
                var reply = controller.call(stub -> stub.testJob(request));
                in.err().println(Planned.sentence(in, reply));
                return 0;
            } catch (ControllerException refusal) {
                in.err().println("allocation failure: " + Refused.text(refusal));
                return 1;
            }
        }

        /// `--wait`: the exit code of the job, 1 if a signal ended it, the highest of an array.
        private int waitFor(ControllerClient controller, int jobId) throws IOException {
            in.takesLong();
            var memory = in.memory();
            memory.atOnce(() -> {
                in.out().flush();
                memory.keep(
                        Remembered.JOB, ByteBuffer.allocate(Integer.BYTES).putInt(jobId).array());
                memory.farewell("Job %s goes on; nobody waits for it.".formatted(id(jobId)));
            });
            var ended = new TreeMap<String, Integer>();
            JobWatch.untilEnded(
                    controller,
                    jobId,
                    true,
                    update -> {
                        var job = update.getJob();
                        if (update.getEnded() || JobWatch.hasEnded(job)) {
                            ended.put(job.getJobId() + "_" + job.getArrayTaskId(), exitCode(job));
                        }
                    });
            return ended.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }

        private static int exitCode(Job job) {
            if (job.getExitSignal() != 0) {
                return 1;
            }
            var wentWell = job.getBaseState().equals("COMPLETED");
            return wentWell || job.getExitCode() != 0 ? job.getExitCode() : 1;
        }

        private static String id(int jobId) {
            return Integer.toUnsignedString(jobId);
        }
    }
}
