package dev.spur.cli.format;

import dev.spur.cli.Output;
import java.time.Instant;
import java.util.List;

/// Prints rows through one buffer that leaves in large pieces.
public final class Listing<R> {
    private static final int PIECE = 24 * 1024;

    private final Layout<R> layout;
    private final View view;
    private final Output out;
    private final StringBuilder buffer = new StringBuilder(1024);

    public Listing(Layout<R> layout, View view, Output out) {
        this.layout = layout;
        this.view = view;
        this.out = out;
    }

    public void date(Instant now) {
        out.println(view.times().line(now.getEpochSecond() * 1_000_000));
    }

    public void header() {
        layout.header(buffer);
        send();
    }

    public void rows(List<R> rows) {
        for (var row : rows) {
            layout.row(buffer, row, view);
            if (buffer.length() >= PIECE) {
                send();
            }
        }
        send();
    }

    private void send() {
        out.print(buffer.toString());
        buffer.setLength(0);
    }
}
