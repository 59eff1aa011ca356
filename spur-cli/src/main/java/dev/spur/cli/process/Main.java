package dev.spur.cli.process;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Command;
import dev.spur.cli.tools.Tools;
import java.util.List;

/// A command in a JVM of its own, for hosts without a door. Called by the C program `spur` as `Main
/// PROGRAM TERMINAL ARGUMENT…`.
public final class Main {
    /// What a shell reports for a program that ended by SIGPIPE.
    private static final int NOBODY_READS = 141;

    private Main() {}

    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println(
                    "spur: dev.spur.cli.process.Main is started by the program 'spur', not by hand.");
            System.exit(1);
        }
        // Libraries that log would print between the user's lines, and setting up a log takes
        // longer than most commands.
        System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        var call =
                Tools.standard(new DoorlessConnector())
                        .resolve(args[0], List.of(args).subList(2, args.length));
        var in = new ProcessInvocation(call, args[1]);
        int code = Command.run(call.tool(), in);
        try {
            in.out().flush();
        } catch (CallerGoneException e) {
            code = NOBODY_READS;
        }
        Runtime.getRuntime().halt(code);
    }
}
