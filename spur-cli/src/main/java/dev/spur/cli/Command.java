package dev.spur.cli;

import dev.spur.api.client.ControllerException;
import org.slf4j.LoggerFactory;

/// The one place where what a tool throws becomes a message and an exit code.
public final class Command {
    private Command() {}

    /// Runs the tool and returns its exit code. Whatever it threw has been told to the caller.
    public static int run(Tool tool, Invocation in) {
        try {
            return tool.run(in);
        } catch (CallerGoneException | InterruptedException e) {
            return 1;
        } catch (Failure e) {
            return complain(in, e.text(), e.exitCode());
        } catch (UserFileException | ControllerException e) {
            return complain(in, String.valueOf(e.getMessage()), 1);
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            return fault(in, e);
        }
    }

    private static int fault(Invocation in, Throwable e) {
        if (Thread.currentThread().isInterrupted()) {
            return 1; // cancelled: what it threw is the echo of that
        }
        // Looked up here, not before: a command in a process of its own has no time for a log it
        // never writes.
        LoggerFactory.getLogger(Command.class)
                .atError()
                .addKeyValue("command", in.program())
                .addKeyValue("uid", in.caller().uid())
                .setCause(e)
                .log("command failed");
        return complain(
                in,
                "this should not have happened: %s. It is a fault of Spur; the log of the local service tells more."
                        .formatted(e),
                1);
    }

    private static int complain(Invocation in, String message, int code) {
        try {
            in.err().println(in.program() + ": error: " + message);
        } catch (CallerGoneException e) {
            return code; // nobody left to tell
        }
        return code;
    }
}
