package dev.spur.controller.accounting;

import dev.spur.engine.state.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/// Deletes, now and then, the records that the accounting database has. Every controller does so
/// for itself.
public final class SpoolKeeper implements Runnable {
    private final Spool spool;
    private final Supplier<Recording> recording;

    public SpoolKeeper(Spool spool, Supplier<Recording> recording) {
        this.spool = spool;
        this.recording = recording;
    }

    @Override
    public void run() {
        try {
            spool.forget(recording.get().stored());
        } catch (IOException e) {
            throw new UncheckedIOException("old accounting records cannot be deleted", e);
        }
    }
}
