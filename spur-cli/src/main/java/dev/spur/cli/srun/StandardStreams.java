package dev.spur.cli.srun;

import dev.spur.api.v1.OpenMode;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.UserFileException;
import dev.spur.cli.UserFiles.WriteMode;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.submission.JobDescription;
import dev.spur.cli.submission.Remembered;
import dev.spur.model.notation.FileNamePattern;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Where the tasks' standard streams go (srun(1), "IO redirection").
///
/// A file whose name tells tasks or nodes apart is opened on the nodes, any other by srun in the
/// caller's name. So are those with labels, which srun writes. A number is a task: only its stream
/// is passed on.
final class StandardStreams implements AutoCloseable {
    /// What becomes of one stream.
    sealed interface Route {
        record Caller() implements Route {}

        record Discarded() implements Route {}

        record OneTask(int rank) implements Route {}

        /// Opened by srun; `path` is complete.
        record Here(String path) implements Route {}

        /// Opened by srun, one for each task or node.
        record EachHere(FileNamePattern pattern) implements Route {}

        /// Opened by each agent; `pattern` still has its symbols.
        record OnNodes(String pattern) implements Route {}
    }

    private final Invocation in;
    private final Route input;
    private final Route output;
    private final Route error;
    private final WriteMode mode;
    private final IntFunction<FileNamePattern.Values> values;
    private final OutputStream callersError; // gathers, as the other streams do
    private final Map<String, OutputStream> files = new HashMap<>();

    private StandardStreams(
            Invocation in,
            Route input,
            Route output,
            Route error,
            WriteMode mode,
            IntFunction<FileNamePattern.Values> values) {
        this.in = in;
        this.values = values;
        this.input = input;
        this.output = output;
        this.error = error;
        this.mode = mode;
        this.callersError = new BufferedOutputStream(in.err());
    }

    /// @param values what the symbols of file names stand for, by task
    static StandardStreams of(
            Invocation in,
            Arguments arguments,
            int tasks,
            IntFunction<FileNamePattern.Values> values) {
        var labelled = arguments.has(SrunOptions.LABEL);
        var common = values.apply(0);
        var output =
                labelled(
                        labelled,
                        route(in, arguments.get(SrunOptions.OUTPUT).orElse(null), tasks, common));
        var errorMode = arguments.get(SrunOptions.ERROR).orElse(null);
        var error =
                errorMode == null && !(output instanceof Route.OneTask)
                        ? output
                        : labelled(labelled, route(in, errorMode, tasks, common));
        var append =
                in.memory().isResumed() // then what is in the files is ours
                        || arguments.get(SrunOptions.OPEN_MODE, OpenMode.OPEN_MODE_DEFAULT)
                                == OpenMode.OPEN_MODE_APPEND;
        return new StandardStreams(
                in,
                route(in, arguments.get(SrunOptions.INPUT).orElse(null), tasks, common),
                output,
                error,
                append ? WriteMode.APPEND : WriteMode.TRUNCATE,
                values);
    }

    private static Route labelled(boolean labelled, Route route) {
        return labelled && route instanceof Route.OnNodes(var pattern)
                ? new Route.EachHere(new FileNamePattern(pattern))
                : route;
    }

    private static Route route(
            Invocation in, @Nullable String text, int tasks, FileNamePattern.Values values) {
        if (text == null || text.equalsIgnoreCase("all")) {
            return new Route.Caller();
        }
        if (text.equalsIgnoreCase("none")) {
            return new Route.Discarded();
        }
        if (text.matches("\\d{1,9}") && Integer.parseInt(text) < tasks) {
            return new Route.OneTask(Integer.parseInt(text));
        }
        var pattern = new FileNamePattern(text);
        if (pattern.isPerTask() || pattern.isPerNode()) {
            return new Route.OnNodes(
                    text.startsWith("/") ? text : in.workingDirectory() + "/" + text);
        }
        return new Route.Here(JobDescription.directory(in, pattern.expand(values)));
    }

    /// What an agent is told to open; empty when the stream comes to srun.
    String outputOnNodes() {
        return onNodes(output);
    }

    String errorOnNodes() {
        return onNodes(error);
    }

    String inputOnNodes() {
        return onNodes(input);
    }

    private static String onNodes(Route route) {
        return switch (route) {
            case Route.OnNodes(var pattern) -> pattern;
            case Route.Discarded() -> "/dev/null";
            case Route.Caller(), Route.OneTask(_), Route.Here(_), Route.EachHere(_) -> "";
        };
    }

    /// As the launch says it: -1 all tasks read srun's input, -2 none does, else the rank that
    /// does.
    int inputTask() {
        return switch (input) {
            case Route.Caller(), Route.Here(_) -> -1;
            case Route.OneTask(var rank) -> rank;
            case Route.Discarded(), Route.OnNodes(_), Route.EachHere(_) -> -2;
        };
    }

    /// Input on its way to the tasks.
    ///
    /// @param offset at which it begins: an earlier door has passed on what was before
    /// @param taken hears up to where the tasks have it
    record Input(InputStream from, long offset, LongConsumer taken) {}

    /// What the tasks read through srun, or null if they do not.
    @Nullable Input openInput() throws IOException {
        var memory = in.memory();
        return switch (input) {
            case Route.Caller(), Route.OneTask(_) ->
                    new Input(in.input(), memory.inputOffset(), memory::inputTaken);
            case Route.Here(var path) -> {
                try {
                    var offset =
                            memory.recall(Remembered.INPUT)
                                    .map(kept -> ByteBuffer.wrap(kept).getLong())
                                    .orElse(0L);
                    var file = in.files().open(path);
                    file.skipNBytes(offset);
                    yield new Input(file, offset, this::rememberTaken);
                } catch (UserFileException e) {
                    throw new Failure(
                            "Could not open stdin file: %s: %s".formatted(e.path(), e.reason()));
                }
            }
            case Route.Discarded(), Route.OnNodes(_), Route.EachHere(_) -> null;
        };
    }

    private void rememberTaken(long offset) {
        in.memory().keep(Remembered.INPUT, ByteBuffer.allocate(Long.BYTES).putLong(offset).array());
    }

    OutputStream outputOf(int rank) throws IOException {
        return sink(output, rank, in.out());
    }

    OutputStream errorOf(int rank) throws IOException {
        return sink(error, rank, callersError);
    }

    private OutputStream sink(Route route, int rank, OutputStream caller) throws IOException {
        return switch (route) {
            case Route.Caller() -> caller;
            case Route.OneTask(var one) -> one == rank ? caller : OutputStream.nullOutputStream();
            case Route.Discarded(), Route.OnNodes(_) -> OutputStream.nullOutputStream();
            case Route.Here(var path) -> file(path);
            case Route.EachHere(var pattern) -> file(pattern.expand(values.apply(rank)));
        };
    }

    /// One stream per file, also when output and error share it.
    private synchronized OutputStream file(String path) throws IOException {
        var open = files.get(path);
        if (open == null) {
            open = new Shared(create(path));
            files.put(path, open);
        }
        return open;
    }

    private OutputStream create(String path) throws IOException {
        try {
            return in.files().write(path, mode);
        } catch (UserFileException e) {
            throw new Failure("Could not open stdout file: %s: %s".formatted(e.path(), e.reason()));
        }
    }

    /// Opens the files now, so that a name that cannot be is told before anything runs.
    void open() throws IOException {
        outputOf(0);
        errorOf(0);
    }

    /// Makes everything written so far visible to others.
    synchronized void flush() throws IOException {
        in.out().flush();
        callersError.flush();
        for (var file : files.values()) {
            file.flush();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (var file : files.values()) {
            file.close();
        }
        files.clear();
    }

    /// Whole writes of several threads, one after another.
    private static final class Shared extends OutputStream {
        private final OutputStream to;

        Shared(OutputStream to) {
            this.to = to;
        }

        @Override
        public synchronized void write(int value) throws IOException {
            to.write(value);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
            to.write(bytes, offset, length);
        }

        @Override
        public synchronized void flush() throws IOException {
            to.flush();
        }

        @Override
        public synchronized void close() throws IOException {
            to.close();
        }
    }
}
