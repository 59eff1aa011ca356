package dev.spur.cli.door;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a door does before anybody calls: the commands that people type first, in processes of
/// their own and through its own socket, until door and controller have compiled what these need.
/// Without it whoever comes first waits for two young JVMs.
///
/// It asks and changes nothing, has one command at a time, none while others have some, and leaves
/// out what takes long because the cluster is large.
final class Rehearsal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Rehearsal.class);

    private static final List<String> SUBMISSION =
            List.of("sbatch", "--test-only", "-o", "/dev/null", "--wrap", "true");
    private static final List<List<String>> ROUND =
            List.of(
                    SUBMISSION,
                    List.of("squeue"),
                    SUBMISSION,
                    List.of("sinfo"),
                    SUBMISSION,
                    List.of("scontrol", "show", "node"));
    private static final int ROUNDS = 30;

    /// Whatever takes so long after a few rounds does so for its answer's sake.
    private static final Duration LONG = Duration.ofMillis(200);

    private static final int FIRST_ROUNDS = 3;
    private static final Duration MOST = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Path programs;
    private final Door door;
    private final Thread thread;
    private volatile boolean closed;

    private Rehearsal(Path programs, Door door) {
        this.programs = programs;
        this.door = door;
        this.thread = Thread.ofVirtual().name("door-rehearsal").unstarted(this::run);
    }

    /// @param home where Spur is installed: its commands are those that are rehearsed
    static Rehearsal start(Path home, Door door) {
        var rehearsal = new Rehearsal(home.resolve("bin"), door);
        rehearsal.thread.start();
        return rehearsal;
    }

    private void run() {
        var begin = System.nanoTime();
        var commands = 0;
        try {
            var round = new ArrayList<>(ROUND);
            for (var number = 0; number < ROUNDS && !round.isEmpty(); number++) {
                for (var command : List.copyOf(round)) {
                    waitForOthers();
                    if (closed || System.nanoTime() - begin > MOST.toNanos()) {
                        return;
                    }
                    var took = take(command);
                    commands++;
                    if (number >= FIRST_ROUNDS && took.compareTo(LONG) > 0) {
                        round.removeIf(command::equals);
                    }
                }
            }
        } catch (IOException e) {
            log.atDebug().addKeyValue("why", e.toString()).log("nothing is rehearsed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            log.atInfo()
                    .addKeyValue("commands", commands)
                    .addKeyValue("took", Duration.ofNanos(System.nanoTime() - begin))
                    .log("door rehearsed");
        }
    }

    private void waitForOthers() {
        while (door.commands() > 0 && !closed) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private Duration take(List<String> command) throws IOException, InterruptedException {
        var program = programs.resolve(command.getFirst());
        if (!Files.isExecutable(program)) {
            throw new IOException("there is no " + program);
        }
        var words = new ArrayList<>(command);
        words.set(0, program.toString());
        var builder =
                new ProcessBuilder(words)
                        .directory(Path.of("/").toFile())
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(Redirect.DISCARD)
                        .redirectError(Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("SPUR_DOOR", door.socket().toString());
        var begin = System.nanoTime();
        var process = builder.start();
        try {
            if (!process.waitFor(MOST.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(command.getFirst() + " did not end");
            }
        } finally {
            process.destroyForcibly(); // if it is not over, nobody wants to know
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    void awaitEnd() throws InterruptedException {
        thread.join();
    }

    /// Ends it with the command that it is at.
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
