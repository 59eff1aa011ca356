package dev.spur.cli.sacctmgr;

import dev.spur.api.client.ControllerException;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.history.AccountingService;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.options.Refusal;
import dev.spur.model.notation.ShellWords;
import java.time.Duration;
import java.util.List;

/// `sacctmgr [OPTIONS...] [COMMAND...]`. Without a command it reads them, line by line.
public final class Sacctmgr implements Tool {
    private static final Duration DECIDE_WITHIN = Duration.ofSeconds(30);

    private static final Option<Boolean> ASSOCIATIONS =
            Option.flag("associations")
                    .letter('s')
                    .help("with show: also the associations of what is shown");
    private static final Option<Boolean> IMMEDIATE =
            Option.flag("immediate").letter('i').help("change at once, without a question");
    private static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('n').help("no heading");
    private static final Option<Boolean> ONE_LINE =
            Option.flag("oneliner").letter('o').help("each record on one line, as always");
    private static final Option<Boolean> PARSABLE =
            Option.flag("parsable")
                    .letter('p')
                    .replaces("parsable2")
                    .help("values with a | behind each");
    private static final Option<Boolean> PARSABLE2 =
            Option.flag("parsable2")
                    .letter('P')
                    .replaces("parsable")
                    .help("values with a | between them");
    private static final Option<Boolean> QUIET =
            Option.flag("quiet").letter('Q').help("no messages about waiting: there are none");
    private static final Option<Boolean> READ_ONLY =
            Option.flag("readonly").letter('r').help("change nothing, whatever is asked for");
    private static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [COMMAND...]\n\n" + Verbs.SUMMARY)
                    .options(
                            ASSOCIATIONS,
                            IMMEDIATE,
                            ListingOptions.JSON,
                            NO_HEADER,
                            ONE_LINE,
                            PARSABLE,
                            PARSABLE2,
                            QUIET,
                            READ_ONLY,
                            VERBOSE,
                            ListingOptions.YAML)
                    .helpLetter();

    private final Connector connector;
    private final Duration decideWithin;

    public Sacctmgr(Connector connector) {
        this(connector, DECIDE_WITHIN);
    }

    Sacctmgr(Connector connector, Duration decideWithin) {
        this.connector = connector;
        this.decideWithin = decideWithin;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> run(in, arguments));
    }

    private int run(Invocation in, Arguments arguments) throws Exception {
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        var session =
                new Session(
                        in,
                        connector,
                        decideWithin,
                        style(arguments),
                        () -> Document.of(in, arguments));
        if (arguments.has(IMMEDIATE)) {
            session.immediate();
        }
        if (arguments.has(READ_ONLY)) {
            session.readOnly();
        }
        if (arguments.has(ASSOCIATIONS)) {
            session.showAssociations();
        }
        return arguments.operands().isEmpty()
                ? converse(session)
                : once(session, arguments.operands());
    }

    private static RuledTable.Style style(Arguments arguments) {
        var form =
                arguments.has(PARSABLE)
                        ? RuledTable.Form.DELIMITER_BEHIND
                        : arguments.has(PARSABLE2)
                                ? RuledTable.Form.DELIMITER_BETWEEN
                                : RuledTable.Form.PADDED;
        return new RuledTable.Style(form, "|", !arguments.has(NO_HEADER));
    }

    private static int once(Session session, List<String> words) throws Exception {
        try {
            return Verbs.run(session, words);
        } catch (AccountingService.NotThereException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    /// What is wrong with one command does not end the conversation.
    private static int converse(Session session) throws Exception {
        var in = session.in();
        var isTerminal = in.terminal().isTerminal(Terminal.INPUT);
        if (isTerminal) {
            in.takesLong();
        }
        var exitCode = 0;
        List<String> before = List.of();
        while (!session.isOver()) {
            if (isTerminal) {
                in.out().print("sacctmgr: ").flush();
            }
            var line = session.typed().line();
            if (line == null) {
                return exitCode;
            }
            var words = ShellWords.split(line);
            if (words.equals(List.of("!!"))) {
                words = before;
            }
            if (!words.isEmpty()) {
                before = words;
                exitCode = tolerantly(session, words);
            }
        }
        return exitCode;
    }

    private static int tolerantly(Session session, List<String> words) throws Exception {
        try {
            return Verbs.run(session, words);
        } catch (Refusal e) {
            return session.fail(e.text());
        } catch (Failure e) {
            return session.fail("sacctmgr: error: " + e.text());
        } catch (ControllerException | AccountingService.NotThereException e) {
            return session.fail("sacctmgr: error: " + e.getMessage());
        }
    }
}
