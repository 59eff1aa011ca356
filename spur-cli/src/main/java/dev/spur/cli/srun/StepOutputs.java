package dev.spur.cli.srun;

import dev.spur.api.v1.IoData;
import dev.spur.cli.options.Arguments;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The output of all tasks of a step. Each task's streams are used by the thread of its node only.
final class StepOutputs {
    private static final byte[] NO_LABEL = {};

    private final StandardStreams streams;
    private final boolean byLines;
    private final boolean labelled;
    private final int labelWidth;
    private final Map<Integer, TaskStream> output = new ConcurrentHashMap<>();
    private final Map<Integer, TaskStream> error = new ConcurrentHashMap<>();

    StepOutputs(StandardStreams streams, Arguments arguments, int tasks) {
        this.streams = streams;
        this.byLines = !arguments.hasAny(SrunOptions.UNBUFFERED, SrunOptions.PTY);
        this.labelled = arguments.has(SrunOptions.LABEL) && !arguments.has(SrunOptions.PTY);
        this.labelWidth = Integer.toString(Math.max(0, tasks - 1)).length();
    }

    void output(IoData data) throws IOException {
        pass(data, output, streams.outputOf(data.getTask()));
    }

    void error(IoData data) throws IOException {
        pass(data, error, streams.errorOf(data.getTask()));
    }

    private void pass(IoData data, Map<Integer, TaskStream> byTask, OutputStream to)
            throws IOException {
        var task =
                byTask.computeIfAbsent(
                        data.getTask(), rank -> new TaskStream(to, label(rank), byLines));
        if (!data.getData().isEmpty()) {
            task.accept(data.getData().toByteArray());
        }
        if (data.getEof()) {
            task.end();
        }
    }

    /// The task writes no more, whether it said so or not.
    void end(int rank) throws IOException {
        end(output.get(rank));
        end(error.get(rank));
    }

    private static void end(@Nullable TaskStream task) throws IOException {
        if (task != null) {
            task.end();
        }
    }

    void flush() throws IOException {
        streams.flush();
    }

    private byte[] label(int rank) {
        return labelled
                ? ("%" + labelWidth + "d: ").formatted(rank).getBytes(StandardCharsets.US_ASCII)
                : NO_LABEL;
    }
}
