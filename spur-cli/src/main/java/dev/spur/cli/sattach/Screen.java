package dev.spur.cli.sattach;

import dev.spur.api.reach.StepSink;
import dev.spur.api.v1.ReachStepReply;
import dev.spur.api.v1.TaskEnded;
import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.srun.TaskBoard;
import dev.spur.cli.srun.TaskStream;
import dev.spur.cli.submission.Voice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the tasks print, line by line on the caller's standard output and error.
final class Screen implements StepSink {
    private static final byte[] NO_LABEL = {};

    private record Stream(int task, int number) implements Comparable<Stream> {
        @Override
        public int compareTo(Stream other) {
            return task != other.task
                    ? Integer.compare(task, other.task)
                    : Integer.compare(number, other.number);
        }
    }

    private final Invocation in;
    private final Voice voice;
    private final TaskFilter output;
    private final TaskFilter error;
    private final boolean labelled;
    private final boolean byLines;
    private final Map<Stream, TaskStream> streams = new TreeMap<>();
    private @Nullable TaskBoard board;
    private int labelWidth = 1;

    Screen(Invocation in, Arguments arguments, Voice voice) {
        var pty = arguments.has(Sattach.PTY);
        this.in = in;
        this.voice = pty ? voice.onRawTerminal() : voice;
        this.output = arguments.get(Sattach.OUTPUT_FILTER, TaskFilter.ALL);
        this.error = arguments.get(Sattach.ERROR_FILTER, TaskFilter.ALL);
        this.labelled = arguments.has(Sattach.LABEL) && !pty;
        this.byLines = !pty;
    }

    synchronized void begin(ReachStepReply step) {
        var id =
                Integer.toUnsignedString(step.getJobId())
                        + "."
                        + Integer.toUnsignedString(step.getStepId());
        board = new TaskBoard(id, step.getTasks(), voice);
        labelWidth = Integer.toString(Math.max(0, step.getTasks() - 1)).length();
    }

    @Override
    public synchronized void data(int task, int number, long offset, byte[] bytes)
            throws IOException {
        if ((number == 1 ? output : error).admits(task)) {
            stream(task, number).accept(bytes);
            in.out().flush();
        }
    }

    @Override
    public synchronized void ended(int task, int number) throws IOException {
        var known = streams.remove(new Stream(task, number));
        if (known != null) {
            known.end();
            in.out().flush();
        }
    }

    private TaskStream stream(int task, int number) {
        return streams.computeIfAbsent(
                new Stream(task, number),
                _ ->
                        new TaskStream(
                                number == 1 ? in.out() : in.err(), label(task), byLines, NO_LABEL));
    }

    private byte[] label(int task) {
        return labelled
                ? ("%" + labelWidth + "d: ").formatted(task).getBytes(StandardCharsets.US_ASCII)
                : NO_LABEL;
    }

    @Override
    public synchronized void missed(int task, int number, long bytes) {
        voice.mention("%d bytes of task %d were not seen".formatted(bytes, task));
    }

    @Override
    public synchronized void taskEnded(String node, TaskEnded task) {
        Objects.requireNonNull(board).ended(node, List.of(task));
    }

    @Override
    public synchronized void lost(String node, String why) {
        voice.say("lost node %s (%s), waiting for it".formatted(node, why));
    }

    synchronized void end() throws IOException {
        for (var stream : streams.values()) {
            stream.end();
        }
        in.out().flush();
    }

    synchronized int exitCode() {
        return Objects.requireNonNull(board).exitCode();
    }
}
