package dev.spur.cli.srun;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/// Output of one task on its way to the reader: by whole lines, so that lines of different tasks do
/// not mix, or as it comes. Used by one thread.
public final class TaskStream {
    /// A line longer than this is passed on in pieces.
    private static final int LONGEST_LINE = 32 * 1024;

    private final OutputStream to;
    private final byte[] label;
    private final boolean byLines;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    /// @param label begins each line; empty for none
    /// @param begun a line's beginning that an earlier door held
    public TaskStream(OutputStream to, byte[] label, boolean byLines, byte[] begun) {
        this.to = to;
        this.label = label;
        this.byLines = byLines || label.length > 0;
        held.writeBytes(begun);
    }

    /// The beginning of a line whose end has not come.
    byte[] held() {
        return held.toByteArray();
    }

    public void accept(byte[] data) throws IOException {
        if (!byLines) {
            to.write(data);
            return;
        }
        int from = 0;
        for (int at = 0; at < data.length; at++) {
            if (data[at] == '\n') {
                held.write(data, from, at + 1 - from);
                from = at + 1;
                passOn();
            }
        }
        held.write(data, from, data.length - from);
        if (held.size() > LONGEST_LINE) {
            passOn();
        }
    }

    /// The task writes no more. A labelled last line gets its end, so that the next label begins a
    /// line.
    public void end() throws IOException {
        if (held.size() > 0) {
            if (label.length > 0) {
                held.write('\n');
            }
            passOn();
        }
    }

    /// One write per line: other tasks' lines come before or after it, never between.
    private void passOn() throws IOException {
        if (label.length == 0) {
            to.write(held.toByteArray());
        } else {
            var line = new ByteArrayOutputStream(label.length + held.size());
            line.writeBytes(label);
            held.writeTo(line);
            to.write(line.toByteArray());
        }
        held.reset();
    }
}
