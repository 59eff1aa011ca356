package dev.spur.cli.logs;

import dev.spur.api.client.ControllerException;
import dev.spur.api.reach.OutputClient;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.OutputRange;
import dev.spur.api.reach.OutputSink;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.OutputPosition;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Invocation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/// The outputs of all tasks of an array: one after the other, or followed all at once with the
/// task's id before each line.
final class ArrayLogs {
    /// More at once would be read by nobody.
    private static final int MOST_AT_ONCE = 64;

    private static final int LONGEST_LINE = 32 * 1024;
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
    private static final Set<String> WAITING = Set.of("PENDING", "REQUEUED", "REQUEUE_HOLD");

    private final Invocation in;
    private final OutputClient client;
    private final ArrayTasks tasks;
    private final boolean error;
    private final OutputRange range;
    private final AtomicBoolean failed = new AtomicBoolean();

    ArrayLogs(
            Invocation in,
            OutputClient client,
            ArrayTasks tasks,
            boolean error,
            OutputRange range) {
        this.in = in;
        this.client = client;
        this.tasks = tasks;
        this.error = error;
        this.range = range;
    }

    int show() throws IOException, InterruptedException {
        if (range.follow()) {
            follow();
        } else {
            oneAfterTheOther();
        }
        return failed.get() ? 1 : 0;
    }

    private void oneAfterTheOther() throws IOException, InterruptedException {
        var first = true;
        for (var task : tasks.list()) {
            if (!hasStarted(task)) {
                continue;
            }
            in.out().print("%s==> %s <==\n".formatted(first ? "" : "\n", id(task)));
            first = false;
            read(
                    id(task),
                    (data, _) -> {
                        in.out().write(data);
                        in.out().flush();
                    });
        }
        if (first) {
            in.err()
                    .println(
                            "%s: error: no task of array %s has started yet. Wait for them with: spur logs -f %s"
                                    .formatted(in.program(), tasks.array(), tasks.array()));
            failed.set(true);
        }
    }

    private void follow() throws InterruptedException {
        var begun = new HashSet<String>();
        var threads = new ArrayList<Thread>();
        var told = false;
        try {
            while (true) {
                var now = tasks.list();
                threads.removeIf(thread -> !thread.isAlive());
                begin(now, begun, threads);
                var waits = now.stream().anyMatch(ArrayLogs::isWaiting);
                if (!waits && threads.isEmpty()) {
                    return;
                }
                if (waits && begun.isEmpty() && !told) {
                    told = true;
                    in.err()
                            .println(
                                    "%s: no task of array %s has started yet; waiting for them"
                                            .formatted(in.program(), tasks.array()));
                }
                Thread.sleep(LOOK_AGAIN);
            }
        } finally {
            threads.forEach(Thread::interrupt);
        }
    }

    private void begin(List<Job> now, Set<String> begun, List<Thread> threads) {
        for (var task : now) {
            if (!hasStarted(task) || threads.size() >= MOST_AT_ONCE || !begun.add(id(task))) {
                continue;
            }
            threads.add(
                    Thread.ofVirtual().name("logs-" + id(task)).start(() -> followOne(id(task))));
        }
    }

    private void followOne(String id) {
        var lines = new LabelledLines(id);
        try {
            read(id, lines);
            lines.end();
        } catch (CallerGoneException _) {
            failed.set(true); // the command is about to end
        } catch (IOException e) {
            failed.set(true);
            in.err().println("%s: error: %s: %s".formatted(in.program(), id, e.getMessage()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the command ends
        }
    }

    private void read(String id, OutputSink sink) throws IOException, InterruptedException {
        try {
            client.read(new OutputClient.Output(id, error), range, sink);
        } catch (ControllerException | OutputException e) {
            in.out().flush();
            in.err().println("%s: error: %s: %s".formatted(in.program(), id, e.getMessage()));
            failed.set(true);
        }
    }

    private static boolean isWaiting(Job job) {
        return WAITING.contains(job.getBaseState());
    }

    private static boolean hasStarted(Job job) {
        return !isWaiting(job) && !job.getNodeList().isEmpty();
    }

    private String id(Job job) {
        return tasks.array() + "_" + Integer.toUnsignedString(job.getArrayTaskId());
    }

    /// Whole lines, each behind the id of its task.
    private final class LabelledLines implements OutputSink {
        private final byte[] label;
        private final ByteArrayOutputStream held = new ByteArrayOutputStream();

        LabelledLines(String id) {
            this.label = (id + ": ").getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public void data(byte[] bytes, OutputPosition next) throws IOException {
            for (var each : bytes) {
                if (held.size() == 0) {
                    held.write(label);
                }
                held.write(each);
                if (each == '\n' || held.size() >= LONGEST_LINE) {
                    passOn();
                }
            }
            in.out().flush();
        }

        void end() throws IOException {
            if (held.size() > 0) {
                held.write('\n');
                passOn();
                in.out().flush();
            }
        }

        private void passOn() throws IOException {
            in.out().write(held.toByteArray());
            held.reset();
        }
    }
}
