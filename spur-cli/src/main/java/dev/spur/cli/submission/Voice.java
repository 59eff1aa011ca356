package dev.spur.cli.submission;

import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import java.util.TreeMap;

/// How a command speaks on standard error: every line begins with its name, `--quiet` silences what
/// is no error, `--verbose` adds.
public final class Voice {
    private static final String RULE = "-------------------- --------------------";

    private final Invocation in;
    private final boolean quiet;
    private final int verbosity;
    private final String lineEnd;

    private Voice(Invocation in, boolean quiet, int verbosity, String lineEnd) {
        this.in = in;
        this.quiet = quiet;
        this.verbosity = verbosity;
        this.lineEnd = lineEnd;
    }

    public static Voice of(Invocation in, Arguments arguments) {
        return new Voice(
                in, arguments.has(JobOptions.QUIET), arguments.count(JobOptions.VERBOSE), "\n");
    }

    /// For a terminal in raw mode, which does not return to the first column by itself.
    public Voice onRawTerminal() {
        return new Voice(in, quiet, verbosity, "\r\n");
    }

    /// Said unless `--quiet`.
    public void say(String text) {
        if (!quiet) {
            in.err().print(in.program() + ": " + text + lineEnd);
        }
    }

    /// Said only with `--verbose`.
    public void mention(String text) {
        if (verbosity > 0) {
            in.err().print(in.program() + ": " + text + lineEnd);
        }
    }

    /// What a command understood that it is asked for, wherever that was written; only with
    /// `--verbose`.
    public void describe(Arguments arguments) {
        mention("defined options");
        mention(RULE);
        new TreeMap<>(arguments.texts())
                .forEach((name, text) -> {
                    var value = text.isEmpty() ? "set" : text;
                    mention(
                            "%-20s: %s"
                                    .formatted(name, name.equals("verbose") ? verbosity : value));
                });
        mention(RULE);
        mention("end of defined options");
    }

    public void warn(String text) {
        if (!quiet) {
            in.err().print(in.program() + ": warning: " + text + lineEnd);
        }
    }

    public void error(String text) {
        in.err().print(in.program() + ": error: " + text + lineEnd);
    }

    public boolean isVerbose() {
        return verbosity > 0;
    }
}
