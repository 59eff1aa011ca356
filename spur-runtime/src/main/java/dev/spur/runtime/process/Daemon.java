package dev.spur.runtime.process;

import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.identity.IdentityException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/// The life of a daemon's process, the same for all of them.
///
/// ```
/// spurctld        parent ── starts ──► child: own session, stdin closed, output to the log file
///                   │                    │  reads the configuration, starts, serves
///                   │ ◄──── "ready" ─────┤
///                 exits 0                │  … until SIGTERM, then stops in order
/// ```
///
/// With `-D` there is no parent and the log goes to standard error.
public final class Daemon {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private final String program;
    private final String version;
    private final List<Flag> flags;
    private final Start start;

    /// How a particular daemon begins.
    public interface Start {
        /// Reads the configuration, sets up logging and serves; returns once requests are answered.
        /// The exception's message is shown to the person who started the daemon.
        Running start(Flags flags) throws Exception;

        /// Where the output goes when the daemon detaches. Asked before {@link #start}, in the
        /// parent.
        Path logFile(Flags flags);
    }

    /// @param flags those beyond `-D`, `-V` and `-h`
    public Daemon(String program, String version, List<Flag> flags, Start start) {
        this.program = program;
        this.version = version;
        this.start = start;
        this.flags = new ArrayList<>(flags);
        this.flags.addAll(List.of(Flag.FOREGROUND, Flag.VERSION, Flag.HELP));
    }

    /// Runs to the end and gives the exit code. To be called by `main`, once in a process.
    public int run(PrintStream out, PrintStream err, String... arguments) {
        try {
            var given = Flags.parse(flags, arguments);
            if (given.has(Flag.VERSION)) {
                out.println(program + " " + version);
                return 0;
            }
            if (given.has(Flag.HELP)) {
                out.print(Flags.usage(program, flags));
                return 0;
            }
            if (Detached.isThisProcess()) {
                return serve(given, Detached.child(out));
            }
            return given.has(Flag.FOREGROUND)
                    ? serve(given, Detached.foreground(err))
                    : Detached.launch(program, start.logFile(given), err);
        } catch (UsageException | ConfigException | IdentityException e) {
            err.println(told(e));
            return 1;
        }
    }

    /// Starts the daemon within this process, beside others; the caller stops it.
    public Running start(String... arguments) throws Exception {
        return start.start(Flags.parse(flags, arguments));
    }

    private int serve(Flags given, Detached.Starter starter) {
        Running running;
        try {
            running = start.start(given);
        } catch (Exception e) {
            starter.failed(told(e));
            LOG.atDebug().setCause(e).log("start failed");
            return 1;
        }
        listenToSignals(running);
        starter.ready();
        try {
            awaitEnd(running);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        running.close();
        return 0;
    }

    /// Waits until a daemon that was started in this process has stopped. One that cannot go on
    /// takes the whole process with it, at once and with its reason as the last line, so that
    /// whoever supervises the process starts it again. Nothing is stopped in order first: what is
    /// broken might never come to an end, and until then would answer with what is no longer true.
    public void awaitEnd(Running running) throws InterruptedException {
        try {
            running.awaitTermination();
        } catch (RuntimeException e) {
            LOG.atDebug().setCause(e).log("the daemon cannot go on");
            System.err.println(told(e) + ". This process ends now and has to be started again.");
            Runtime.getRuntime().halt(1);
        }
    }

    /// SIGTERM and Ctrl-C stop the daemon in order; ended that way it has done what it was asked,
    /// so the exit code is 0 and not the signal's. SIGHUP reads the configuration again, as
    /// administrators expect.
    private static void listenToSignals(Running running) {
        Signal.handle(new Signal("HUP"), _ -> Thread.startVirtualThread(running::reload));
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("stop")
                                .unstarted(() -> {
                                    LOG.atInfo().log("stopping on request");
                                    running.close();
                                    LOG.atInfo().log("stopped");
                                    Runtime.getRuntime().halt(0);
                                }));
    }

    private String told(Exception e) {
        var text = e.getMessage() == null ? e.toString() : e.getMessage();
        var cause = e.getCause();
        if (cause != null && cause.getMessage() != null && !text.contains(cause.getMessage())) {
            text += ": " + cause.getMessage();
        }
        return program + ": error: " + text.replace("\n", "\n" + program + ": error: ");
    }
}
