package dev.spur.cli.salloc;

import static dev.spur.cli.ProcessSignal.HUP;
import static dev.spur.cli.ProcessSignal.INT;
import static dev.spur.cli.ProcessSignal.QUIT;
import static dev.spur.cli.ProcessSignal.TERM;
import static dev.spur.cli.ProcessSignal.USR1;
import static dev.spur.cli.ProcessSignal.USR2;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Children;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.UserFileException;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Allocation;
import dev.spur.cli.submission.ExportedEnvironment;
import dev.spur.cli.submission.JobDescription;
import dev.spur.cli.submission.JobEnvironment;
import dev.spur.cli.submission.JobEvents;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.JobWatch;
import dev.spur.cli.submission.Numbers;
import dev.spur.cli.submission.Remembered;
import dev.spur.cli.submission.Voice;
import dev.spur.model.notation.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// `salloc [OPTIONS] [COMMAND [ARGUMENTS]]`
public final class Salloc implements Tool {
    private static final Option<Boolean> BELL =
            Option.flag("bell").from("SALLOC_BELL").help("ring when the job starts");
    private static final Option<Integer> IMMEDIATE =
            Option.optional("immediate", "SECONDS", "0", Numbers.notNegative("immediate"))
                    .letter('I')
                    .from("SALLOC_IMMEDIATE")
                    .help("give up if the job cannot start at once");
    private static final Option<String> KILL_COMMAND =
            Option.optional("kill-command", "SIGNAL", "", Salloc::signal)
                    .letter('K')
                    .from("SALLOC_KILL_CMD")
                    .help("signal for the command when the job is revoked");
    private static final Option<Boolean> NO_BELL =
            Option.flag("no-bell").from("SALLOC_NO_BELL").replaces("bell").help("never ring");
    private static final Option<Boolean> NO_SHELL =
            Option.flag("no-shell").help("only allocate: the job stays until scancel");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [COMMAND [ARGUMENTS...]]")
                    .operandsEndOptions()
                    .usageExitCode(255)
                    .helpLetter()
                    .options(JobOptions.shared("SALLOC_"))
                    .options(
                            BELL,
                            IMMEDIATE,
                            KILL_COMMAND,
                            NO_BELL,
                            NO_SHELL,
                            JobOptions.WAIT_ALL_NODES.from("SALLOC_WAIT_ALL_NODES"),
                            Option.optional("get-user-env", "TIMEOUT", "", text -> text)
                                    .unsupported(),
                            Option.optional("x11", "all|first|last", "", text -> text)
                                    .unsupported());

    /// These end a command every day; salloc does not count them as a failure.
    private static final Set<Integer> ORDINARY_ENDS = Set.of(1, 2, 3, 9);

    private final Connector connector;

    public Salloc(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> new Call(in, arguments).run());
    }

    private static String signal(String text) {
        if (!text.isEmpty()) {
            Signal.parse(text);
        }
        return text;
    }

    private record CommandEnded(Children.Exit exit) implements JobEvents.Event {}

    /// One call of salloc.
    private final class Call {
        private final Invocation in;
        private final Arguments arguments;
        private final Voice voice;
        private boolean isRevoked;

        Call(Invocation in, Arguments arguments) {
            this.in = in;
            this.arguments = arguments;
            this.voice = Voice.of(in, arguments);
        }

        int run() throws IOException, InterruptedException {
            voice.describe(arguments);
            if (!arguments.operands().isEmpty() && arguments.operands().getFirst().equals(":")) {
                voice.error("heterogeneous jobs (\":\") are not supported yet");
                return 1;
            }
            in.takesLong();
            var controller = connector.connect(in);
            try (var events = new JobEvents(in)) {
                var asked =
                        Allocation.submit(
                                in,
                                arguments,
                                controller,
                                events,
                                Allocation.Style.SALLOC,
                                request());
                if (asked.isEmpty()) {
                    return 1;
                }
                try (var allocation = asked.get()) {
                    var command = in.children().adopt();
                    if (command.isPresent()) {
                        return follow(events, allocation, command.get());
                    }
                    var job =
                            allocation.await(arguments.get(IMMEDIATE).map(Allocation::immediately));
                    return job.isEmpty()
                            ? Allocation.refusedExitCode(in, arguments.has(IMMEDIATE))
                            : granted(controller, events, allocation, job.get());
                }
            }
        }

        private SubmitJobRequest request() throws IOException {
            var spec =
                    JobDescription.of(in, arguments)
                            .setKind(JobKind.JOB_KIND_ALLOCATION)
                            .addAllRlimits(JobDescription.limits(in, "ALL"));
            if (spec.getName().isEmpty()) {
                spec.setName("interactive");
            }
            return SubmitJobRequest.newBuilder()
                    .setRequestId(in.memory().once(Remembered.REQUEST, in::newRequestId))
                    .setSpec(spec)
                    .setEnvironment(
                            ExportedEnvironment.encode(
                                    ExportedEnvironment.of(in.environment(), null), in.charset()))
                    .build();
        }

        private int granted(
                ControllerClient controller, JobEvents events, Allocation allocation, Job job)
                throws IOException, InterruptedException {
            voice.say("Granted job allocation " + allocation.id());
            if (arguments.has(BELL) && in.terminal().isTerminal(Terminal.OUTPUT)) {
                in.out().print("\u0007").flush();
            }
            if (arguments.has(NO_SHELL)) {
                allocation.leave();
                return 0;
            }
            var command =
                    arguments.operands().isEmpty()
                            ? List.of(JobDescription.shell(in.environment()))
                            : arguments.operands();
            var environment =
                    JobEnvironment.of(
                            in, arguments, allocation.cluster(), detailed(controller, job));
            Children.Child child;
            try {
                child = in.children().spawn(there(command), environment);
            } catch (UserFileException e) {
                voice.error(
                        e.reason().equals("No such file or directory")
                                ? "Unable to find command \"%s\"".formatted(command.getFirst())
                                : "Unable to exec command \"%s\": %s"
                                        .formatted(command.getFirst(), e.reason()));
                relinquish(allocation, 1);
                return 1;
            }
            return follow(events, allocation, child);
        }

        /// The command in the directory of `--chdir`: a shell goes there and becomes it.
        private List<String> there(List<String> command) {
            var directory = arguments.get(JobOptions.CHDIR);
            if (directory.isEmpty()) {
                return command;
            }
            var words =
                    new ArrayList<>(
                            List.of("sh", "-c", "cd -- \"$0\" && exec \"$@\"", directory.get()));
            words.addAll(command);
            return words;
        }

        /// The job with its nodes, of which a watch may not tell.
        private static Job detailed(ControllerClient controller, Job job) {
            if (job.getNodesCount() > 0) {
                return job;
            }
            var request =
                    ListJobsRequest.newBuilder()
                            .addIds(Integer.toUnsignedString(job.getJobId()))
                            .setDetail(JobDetail.JOB_DETAIL_FULL)
                            .build();
            var found = new Job[] {job};
            controller.<ListJobsReply>each(
                    stub -> stub.listJobs(request),
                    page ->
                            page.getJobsList().stream()
                                    .findFirst()
                                    .ifPresent(first -> found[0] = first));
            return found[0];
        }

        /// Waits for the command; a job that ends before it takes the command along.
        private int follow(JobEvents events, Allocation allocation, Children.Child child)
                throws InterruptedException {
            events.listen(EnumSet.of(HUP, INT, QUIT, TERM, USR1, USR2));
            var waiting =
                    Thread.ofVirtual()
                            .name("salloc-command")
                            .start(() -> {
                                try {
                                    events.add(new CommandEnded(child.waitFor()));
                                } catch (InterruptedException | CallerGoneException _) {
                                    // The command is gone with its caller, of which the thread
                                    // that follows hears by itself.
                                    Thread.currentThread().interrupt();
                                }
                            });
            try {
                while (true) {
                    switch (events.next()) {
                        case CommandEnded(var exit) -> {
                            var code = exitCode(exit);
                            relinquish(allocation, code);
                            return code;
                        }
                        case JobEvents.Changed(var update) -> {
                            if (update.getEnded() || JobWatch.hasEnded(update.getJob())) {
                                revoked(allocation, child);
                            }
                        }
                        case JobEvents.Caught(var signal) -> {
                            if (signal == HUP || signal == TERM) {
                                child.signal(
                                        signal.number()); // the others reach it from the terminal
                            }
                        }
                        case JobEvents.Lost _ ->
                                voice.error(
                                        "The controller no longer answers; job %s goes on"
                                                .formatted(allocation.id()));
                        case JobEvents.Event _ -> {}
                    }
                }
            } finally {
                waiting.interrupt();
            }
        }

        private void revoked(Allocation allocation, Children.Child child) {
            if (isRevoked) {
                return;
            }
            isRevoked = true;
            allocation.revoked();
            voice.say("Job allocation %s has been revoked.".formatted(allocation.id()));
            var chosen = arguments.get(KILL_COMMAND, "");
            var usual = in.terminal().isTerminal(Terminal.INPUT) ? Signal.HUP : Signal.TERM;
            child.signal(chosen.isEmpty() ? usual.number() : Signal.parse(chosen).number());
        }

        private void relinquish(Allocation allocation, int exitCode) {
            if (!isRevoked) {
                voice.say("Relinquishing job allocation " + allocation.id());
                allocation.finish(exitCode);
            }
        }

        private static int exitCode(Children.Exit exit) {
            var signal = exit.signal();
            return signal != null && ORDINARY_ENDS.contains(signal) ? 0 : exit.code();
        }
    }
}
