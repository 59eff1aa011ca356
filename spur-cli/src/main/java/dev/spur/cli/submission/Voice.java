package dev.spur.cli.submission;

import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;

/// How a command speaks on standard error: every line begins with its name, `--quiet` silences what
/// is no error, `--verbose` adds.
public final class Voice {
    private final Invocation in;
    private final boolean quiet;
    private final int verbosity;

    private Voice(Invocation in, boolean quiet, int verbosity) {
        this.in = in;
        this.quiet = quiet;
        this.verbosity = verbosity;
    }

    public static Voice of(Invocation in, Arguments arguments) {
        return new Voice(in, arguments.has(JobOptions.QUIET), arguments.count(JobOptions.VERBOSE));
    }

    /// Said unless `--quiet`.
    public void say(String text) {
        if (!quiet) {
            in.err().println(in.program() + ": " + text);
        }
    }

    /// Said only with `--verbose`.
    public void mention(String text) {
        if (verbosity > 0) {
            in.err().println(in.program() + ": " + text);
        }
    }

    public void warn(String text) {
        if (!quiet) {
            in.err().println(in.program() + ": warning: " + text);
        }
    }

    public void error(String text) {
        in.err().println(in.program() + ": error: " + text);
    }

    public boolean isVerbose() {
        return verbosity > 0;
    }
}
