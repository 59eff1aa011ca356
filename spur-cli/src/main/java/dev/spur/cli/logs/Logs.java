package dev.spur.cli.logs;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.reach.OutputClient;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.OutputRange;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Refused;
import java.io.IOException;

/// `spur logs [-f] JOB[_TASK][.STEP]`
public final class Logs implements Tool {
    static final Option<Boolean> FOLLOW =
            Option.flag("follow")
                    .letter('f')
                    .help("wait for the job's start, and go on until it has ended");
    static final Option<Boolean> ERR =
            Option.flag("err").letter('e').help("standard error, if it has a file of its own");
    static final Option<Range> BYTES =
            Option.of("bytes", "FROM-TO", text -> Range.parse("--bytes", text, 0))
                    .help("these bytes, counted from 0; FROM- to the end");
    static final Option<Range> LINES =
            Option.of("lines", "FROM-TO", text -> Range.parse("--lines", text, 1))
                    .help("these lines, counted from 1; FROM- to the end");
    static final Option<Long> HEAD =
            Option.of("head", "LINES", text -> Range.count("--head", text))
                    .help("the first lines only");
    static final Option<Long> TAIL =
            Option.of("tail", "LINES", text -> Range.count("--tail", text))
                    .letter('n')
                    .help("begin with the last lines");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] JOB[_TASK][.STEP]")
                    .options(FOLLOW, ERR, BYTES, LINES, HEAD, TAIL)
                    .helpLetter();

    private final Connector connector;

    public Logs(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) throws IOException, InterruptedException {
        if (arguments.operands().size() != 1) {
            throw new Failure("say which job, as in: spur logs 12, 12_3 or 12.0");
        }
        var id = arguments.operands().getFirst();
        var controller = connector.connect(in);
        if (!controller.reachesAgents()) {
            throw new Failure(
                    "this host has no certificate of the cluster, and with a token alone the nodes cannot be "
                            + "reached. Use spur logs on a host of the cluster.");
        }
        in.takesLong(); // also what is there already may be much
        try {
            return show(in, arguments, id, controller);
        } catch (ControllerException refusal) {
            in.err().println("%s: error: %s: %s".formatted(in.program(), id, why(refusal)));
            return 1;
        } catch (OutputException e) {
            in.err().println("%s: error: %s: %s".formatted(in.program(), id, e.getMessage()));
            return 1;
        }
    }

    private static int show(
            Invocation in, Arguments arguments, String id, ControllerClient controller)
            throws IOException, InterruptedException {
        var client = new OutputClient(controller);
        var range = range(arguments);
        var isError = arguments.has(ERR);
        var tasks = ArrayTasks.of(controller, id);
        if (tasks.isPresent()) {
            return new ArrayLogs(in, client, tasks.get(), isError, range).show();
        }
        var pen = Pen.of(in, range.follow());
        client.read(new OutputClient.Output(id, isError), pen.rest(range), pen);
        return pen.exitCode(id);
    }

    private static OutputRange range(Arguments arguments) {
        var asked = 0;
        var range = OutputRange.ALL;
        if (arguments.has(BYTES)) {
            var bytes = arguments.get(BYTES).orElseThrow();
            range = OutputRange.bytes(bytes.from(), bytes.count());
            asked++;
        }
        if (arguments.has(LINES)) {
            var lines = arguments.get(LINES).orElseThrow();
            range = OutputRange.lines(lines.from() - 1, lines.count());
            asked++;
        }
        if (arguments.has(HEAD)) {
            range = OutputRange.lines(0, arguments.get(HEAD, 0L));
            asked++;
        }
        if (arguments.has(TAIL)) {
            range = OutputRange.lastLines(arguments.get(TAIL, 0L));
            asked++;
        }
        if (asked > 1) {
            throw new Failure("--bytes, --lines, --head and --tail exclude each other");
        }
        return arguments.has(FOLLOW) ? range.following() : range;
    }

    private static String why(ControllerException refusal) {
        var words = Refused.text(refusal);
        var said = Refused.message(refusal);
        return words.contains(said) ? words : words + ": " + said;
    }
}
