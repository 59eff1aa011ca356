package dev.spur.cli.sacctmgr;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// What somebody types: commands, and answers for which there is not for ever.
final class TypedInput {
    static final int END = -1;
    private static final int LONGEST_LINE = 64 * 1024;

    private final InputStream input;
    private final Charset charset;

    /// What nobody has waited for long enough: the next byte, whoever wants it then.
    private @Nullable FutureTask<Integer> pending;

    TypedInput(InputStream input, Charset charset) {
        this.input = input;
        this.charset = charset;
    }

    /// The next byte, or [#END].
    ///
    /// @throws TimeoutException if there was none in time
    int read(Duration within) throws IOException, InterruptedException, TimeoutException {
        var next = pending;
        if (next == null) {
            next = new FutureTask<>(input::read);
            Thread.ofVirtual().name("typed-input").start(next);
        }
        pending = next;
        try {
            int read = next.get(within.toMillis(), TimeUnit.MILLISECONDS);
            pending = null;
            return read;
        } catch (ExecutionException e) {
            pending = null;
            throw e.getCause() instanceof IOException failure
                    ? failure
                    : new IOException(e.getCause());
        }
    }

    /// The next line; null at the end of input.
    @Nullable String line() throws IOException, InterruptedException {
        var line = new ByteArrayOutputStream();
        while (true) {
            var read = next();
            if (read == END && line.size() == 0) {
                return null;
            }
            if (read == END || read == '\n') {
                return line.toString(charset);
            }
            if (line.size() == LONGEST_LINE) {
                throw new IOException("the line is too long");
            }
            line.write(read);
        }
    }

    private int next() throws IOException, InterruptedException {
        if (pending == null) {
            return input.read();
        }
        try {
            return read(Duration.ofDays(1));
        } catch (TimeoutException _) {
            return END;
        }
    }
}
