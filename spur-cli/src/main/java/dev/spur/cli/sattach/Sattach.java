package dev.spur.cli.sattach;

import dev.spur.api.client.ControllerException;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.StepView;
import dev.spur.api.v1.ReachStepReply;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.ProcessSignal;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.Refused;
import dev.spur.cli.submission.Voice;
import java.io.IOException;
import java.util.EnumSet;

/// `sattach [OPTIONS] JOBID.STEPID`
public final class Sattach implements Tool {
    static final Option<TaskFilter> INPUT_FILTER =
            filter("input-filter", "the task that gets what is typed");
    static final Option<TaskFilter> OUTPUT_FILTER =
            filter("output-filter", "the task whose standard output is shown");
    static final Option<TaskFilter> ERROR_FILTER =
            filter("error-filter", "the task whose standard error is shown");
    static final Option<Boolean> LABEL =
            Option.flag("label").letter('l').help("begin each line with the task's number");
    static final Option<Boolean> LAYOUT =
            Option.flag("layout").help("only say which tasks run on which nodes");
    static final Option<Boolean> PTY =
            Option.flag("pty").help("be the terminal of a step that has one");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] JOBID.STEPID")
                    .options(
                            INPUT_FILTER,
                            OUTPUT_FILTER,
                            ERROR_FILTER,
                            LABEL,
                            LAYOUT,
                            PTY,
                            JobOptions.QUIET,
                            JobOptions.VERBOSE)
                    .helpLetter();

    private static final int PIECE = 32 * 1024;

    private final Connector connector;

    public Sattach(Connector connector) {
        this.connector = connector;
    }

    private static Option<TaskFilter> filter(String name, String help) {
        return Option.of(name, "TASK", text -> TaskFilter.parse("--" + name, text)).help(help);
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> attach(in, arguments));
    }

    private int attach(Invocation in, Arguments arguments)
            throws IOException, InterruptedException {
        if (arguments.operands().size() != 1) {
            throw new Failure("No job step id specified: say which step, as in sattach 12.0");
        }
        var id = arguments.operands().getFirst();
        var voice = Voice.of(in, arguments);
        var controller = connector.connect(in);
        if (!controller.reachesAgents()) {
            throw new Failure(
                    "this host has no certificate of the cluster, and with a token alone the nodes cannot be "
                            + "reached. Use sattach on a host of the cluster.");
        }
        in.takesLong();
        try {
            var sink = new Screen(in, arguments, voice);
            try (var view = StepView.of(controller, id, sink)) {
                if (arguments.has(LAYOUT)) {
                    in.out().print(layout(view.step()));
                    return 0;
                }
                sink.begin(view.step());
                return look(in, arguments, view, sink);
            }
        } catch (ControllerException refusal) {
            voice.error("Unable to attach to step %s: %s".formatted(id, Refused.text(refusal)));
            voice.mention(Refused.message(refusal));
            return 1;
        } catch (OutputException e) {
            voice.error("Lost step %s: %s".formatted(id, e.getMessage()));
            return 1;
        }
    }

    private static int look(Invocation in, Arguments arguments, StepView view, Screen screen)
            throws IOException, InterruptedException {
        var pty = arguments.has(PTY) && in.terminal().isTerminal(Terminal.INPUT);
        try (var _ = pty ? in.terminal().raw() : (Terminal.RawMode) () -> {}) {
            view.begin();
            if (arguments.has(PTY)) {
                resize(in, view);
                in.signals().listen(EnumSet.of(ProcessSignal.WINCH), _ -> resize(in, view));
            }
            var filter = arguments.get(INPUT_FILTER, TaskFilter.ALL);
            if (view.step().getInput() && !filter.isNone()) {
                Thread.ofVirtual().name("sattach-input").start(() -> type(in, view, filter.task()));
            }
            view.await();
            screen.end();
            return screen.exitCode();
        }
    }

    private static void resize(Invocation in, StepView view) {
        var size = in.terminal().size();
        if (size.rows() > 0) {
            view.resize(size.rows(), size.columns());
        }
    }

    /// Until there is no more; that ends nobody's input.
    private static void type(Invocation in, StepView view, int task) {
        try {
            var buffer = new byte[PIECE];
            for (var length = in.input().read(buffer);
                    length >= 0;
                    length = in.input().read(buffer)) {
                if (length > 0) {
                    view.type(task, java.util.Arrays.copyOf(buffer, length));
                }
            }
        } catch (IOException | RuntimeException _) {
            // Nobody types any more.
        }
    }

    private static String layout(ReachStepReply step) {
        var text = new StringBuilder("Job step layout:\n");
        text.append(
                "  %d tasks, %d nodes (%s)\n\n"
                        .formatted(step.getTasks(), step.getNodesCount(), step.getNodeList()));
        for (var i = 0; i < step.getNodesCount(); i++) {
            var node = step.getNodes(i);
            text.append(
                    "  Node %d (%s), %d task(s): "
                            .formatted(i, node.getNode(), node.getTaskIdsCount()));
            node.getTaskIdsList().forEach(task -> text.append(task).append(' '));
            text.append('\n');
        }
        return text.toString();
    }
}
