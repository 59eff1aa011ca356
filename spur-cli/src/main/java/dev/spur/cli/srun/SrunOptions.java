package dev.spur.cli.srun;

import static dev.spur.cli.submission.JobOptions.CHDIR;
import static dev.spur.cli.submission.JobOptions.CPUS_PER_TASK;
import static dev.spur.cli.submission.JobOptions.NODES;
import static dev.spur.cli.submission.JobOptions.NTASKS;
import static dev.spur.cli.submission.JobOptions.NTASKS_PER_CORE;
import static dev.spur.cli.submission.JobOptions.NTASKS_PER_GPU;
import static dev.spur.cli.submission.JobOptions.NTASKS_PER_NODE;
import static dev.spur.cli.submission.JobOptions.NTASKS_PER_SOCKET;
import static dev.spur.cli.submission.JobOptions.VERBOSE;

import dev.spur.api.v1.OpenMode;
import dev.spur.cli.Failure;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.Numbers;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The options that only srun has, and its table.
final class SrunOptions {
    static final Option<String> CPU_BIND =
            Option.of("cpu-bind", "TYPE", SrunOptions::cpuBind)
                    .from("SLURM_CPU_BIND")
                    .help("how tasks are bound to processors: none, cores, map_cpu:...");
    static final Option<Boolean> DISABLE_STATUS =
            Option.flag("disable-status")
                    .letter('X')
                    .from("SLURM_DISABLE_STATUS")
                    .help("pass the first Ctrl-C on instead of showing the tasks");
    static final Option<String> ERROR =
            Option.text("error", "MODE")
                    .letter('e')
                    .from("SLURM_STDERRMODE")
                    .help("standard error of the tasks: all, none, a task, a file");
    static final Option<Boolean> EXACT =
            Option.flag("exact").from("SLURM_EXACT").help("only the processors asked for");
    static final Option<String> EXPORT =
            Option.text("export", "ALL|NONE|NAMES")
                    .from("SLURM_EXPORT_ENV")
                    .help("which variables the tasks get");
    static final Option<Boolean> EXTERNAL_LAUNCHER =
            Option.flag("external-launcher")
                    .from("SLURM_EXTERNAL_LAUNCHER")
                    .help("the command launches tasks of its own");
    static final Option<Integer> IMMEDIATE =
            Option.optional("immediate", "SECONDS", "0", Numbers.notNegative("immediate"))
                    .letter('I')
                    .from("SLURM_IMMEDIATE")
                    .help("give up if the job cannot start at once");
    static final Option<String> INPUT =
            Option.text("input", "MODE")
                    .letter('i')
                    .from("SLURM_STDINMODE")
                    .help("standard input of the tasks: all, none, a task, a file");
    static final Option<Integer> JOBID =
            Option.of("jobid", "ID", Numbers.positive("--jobid"))
                    .from("SLURM_JOB_ID", "SLURM_JOBID")
                    .help("run in this job");
    static final Option<Boolean> KILL_ON_BAD_EXIT =
            Option.optional(
                            "kill-on-bad-exit",
                            "0|1",
                            "1",
                            Numbers.notNegative("--kill-on-bad-exit")
                                    .andThen(number -> number != 0))
                    .letter('K')
                    .from("SLURM_KILL_BAD_EXIT")
                    .help("end the step when one task fails");
    static final Option<Boolean> LABEL =
            Option.flag("label")
                    .letter('l')
                    .from("SLURM_LABELIO")
                    .help("begin each line with the task's number");
    static final Option<String> MPI =
            Option.of("mpi", "TYPE", SrunOptions::mpi)
                    .from("SLURM_MPI_TYPE")
                    .help("kind of MPI: none");
    static final Option<Boolean> MULTI_PROG =
            Option.flag("multi-prog").help("the command names a file with a program per task");
    static final Option<OpenMode> OPEN_MODE =
            Option.of("open-mode", "append|truncate", JobOptions::openMode)
                    .from("SLURM_OPEN_MODE")
                    .help("what to do with output files that exist");
    static final Option<String> OUTPUT =
            Option.text("output", "MODE")
                    .letter('o')
                    .from("SLURM_STDOUTMODE")
                    .help("standard output of the tasks: all, none, a task, a file");
    static final Option<Boolean> OVERLAP =
            Option.optional("overlap", "", "1", _ -> true)
                    .from("SLURM_OVERLAP")
                    .help("share the resources with other steps");
    static final Option<Boolean> PRESERVE_ENV =
            Option.flag("preserve-env")
                    .letter('E')
                    .help("keep SLURM_NNODES and SLURM_NTASKS as they are");
    static final Option<String> PROPAGATE =
            Option.optional("propagate", "LIMITS", "ALL", text -> text)
                    .help("resource limits the tasks inherit");
    static final Option<Boolean> PTY =
            Option.optional("pty", "FD", "", _ -> true).help("give task 0 a terminal");
    static final Option<Boolean> QUIT_ON_INTERRUPT =
            Option.flag("quit-on-interrupt").help("end the step on the first Ctrl-C");
    static final Option<Boolean> TEST_ONLY =
            Option.flag("test-only").help("only say when the job would start");
    static final Option<Integer> THREADS =
            Option.of("threads", "COUNT", Numbers.positive("--threads"))
                    .letter('T')
                    .from("SLURM_THREADS")
                    .help("accepted; srun needs no bound here");
    static final Option<Boolean> UNBUFFERED =
            Option.flag("unbuffered")
                    .letter('u')
                    .from("SLURM_UNBUFFEREDIO")
                    .help("pass output on as it comes, not by lines");
    static final Option<Integer> WAIT =
            Option.of("wait", "SECONDS", Numbers.notNegative("--wait"))
                    .letter('W')
                    .from("SLURM_WAIT")
                    .help("end the step this long after the first task ended");

    static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] COMMAND [ARGUMENTS...]")
                    .operandsEndOptions()
                    .usageExitCode(255)
                    .helpLetter()
                    .options(shared())
                    .options(
                            CPU_BIND,
                            DISABLE_STATUS,
                            ERROR,
                            EXACT,
                            EXPORT,
                            EXTERNAL_LAUNCHER,
                            IMMEDIATE,
                            INPUT,
                            JOBID,
                            KILL_ON_BAD_EXIT,
                            LABEL,
                            MPI,
                            MULTI_PROG,
                            OPEN_MODE,
                            OUTPUT,
                            OVERLAP,
                            PRESERVE_ENV,
                            PROPAGATE,
                            PTY,
                            QUIT_ON_INTERRUPT,
                            TEST_ONLY,
                            THREADS,
                            UNBUFFERED,
                            WAIT)
                    .options(
                            Option.text("accel-bind", "OPTIONS").unsupported(),
                            Option.optional("bcast", "PATH", "", text -> text)
                                    .from("SLURM_BCAST")
                                    .unsupported(),
                            Option.text("bcast-exclude", "PATHS")
                                    .from("SLURM_BCAST_EXCLUDE")
                                    .unsupported(),
                            Option.optional("compress", "TYPE", "", text -> text)
                                    .from("SLURM_COMPRESS")
                                    .unsupported(),
                            Option.text("epilog", "PROGRAM").from("SLURM_EPILOG").unsupported(),
                            Option.text("het-group", "GROUPS").unsupported(),
                            Option.text("msg-timeout", "SECONDS").unsupported(),
                            Option.flag("no-allocate").letter('Z').unsupported(),
                            Option.text("prolog", "PROGRAM").from("SLURM_PROLOG").unsupported(),
                            Option.text("relative", "NODE").letter('r').unsupported(),
                            Option.optional("resv-ports", "COUNT", "", text -> text)
                                    .from("SLURM_RESV_PORTS")
                                    .unsupported(),
                            Option.optional("send-libs", "yes|no", "", text -> text)
                                    .from("SLURM_SEND_LIBS")
                                    .unsupported(),
                            Option.text("slurmd-debug", "LEVEL").unsupported(),
                            Option.text("task-epilog", "PROGRAM")
                                    .from("SLURM_TASK_EPILOG")
                                    .unsupported(),
                            Option.text("task-prolog", "PROGRAM")
                                    .from("SLURM_TASK_PROLOG")
                                    .unsupported(),
                            Option.optional("x11", "all|first|last", "", text -> text)
                                    .unsupported());

    private SrunOptions() {}

    /// The job's options, some of which a step also takes from the job that it is in.
    private static List<Option<?>> shared() {
        Map<String, Option<?>> inJob =
                Stream.<Option<?>>of(
                                NODES.from("SLURM_JOB_NUM_NODES", "SLURM_NNODES"),
                                NTASKS.from("SLURM_NTASKS", "SLURM_NPROCS"),
                                CPUS_PER_TASK.from("SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK"),
                                NTASKS_PER_NODE.from("SLURM_NTASKS_PER_NODE"),
                                NTASKS_PER_CORE.from("SLURM_NTASKS_PER_CORE"),
                                NTASKS_PER_GPU.from("SLURM_NTASKS_PER_GPU"),
                                NTASKS_PER_SOCKET.from("SLURM_NTASKS_PER_SOCKET"),
                                CHDIR.from("SLURM_REMOTE_CWD", "SLURM_WORKING_DIR"),
                                VERBOSE.from("SLURM_DEBUG"))
                        .collect(Collectors.toMap(Option::name, option -> option));
        return JobOptions.shared("SLURM_").stream()
                .<Option<?>>map(option -> inJob.getOrDefault(option.name(), option))
                .toList();
    }

    private static String cpuBind(String text) {
        var known =
                "quiet|verbose|q|v|none|rank|sockets|cores|threads|ldoms|y|yes|n|no"
                        + "|map_cpu:(\\d{1,4}|0x\\p{XDigit}{1,3})(,(\\d{1,4}|0x\\p{XDigit}{1,3}))*"
                        + "|mask_cpu:(0x)?\\p{XDigit}{1,256}(,(0x)?\\p{XDigit}{1,256})*";
        if (text.matches(".*(rank|map|mask)_ldom.*")) {
            throw new Failure("--cpu-bind by locality domain is not supported yet");
        }
        if (!text.matches("(%s)(,(%s))*".formatted(known, known))) {
            throw new Failure("unrecognized --cpu-bind argument \"%s\"".formatted(text));
        }
        return text;
    }

    private static String mpi(String text) {
        return switch (text) {
            case "none", "list" -> text;
            case "pmi2", "cray_shasta" -> throw notYet(text);
            default -> {
                if (text.startsWith("pmix")) {
                    throw notYet(text);
                }
                throw new Failure(
                        "Invalid MPI type '%s', --mpi=list for acceptable types".formatted(text));
            }
        };
    }

    private static Failure notYet(String type) {
        return new Failure("option --mpi=%s is not supported yet".formatted(type));
    }
}
