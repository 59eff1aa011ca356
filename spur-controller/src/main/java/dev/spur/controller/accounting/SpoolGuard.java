package dev.spur.controller.accounting;

import dev.spur.engine.state.Recording;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells when accounting records pile up, and refuses new jobs when there is no room for theirs.
/// Records are never dropped: those of jobs that are known are written whatever it takes.
public final class SpoolGuard {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolGuard.class);

    private final Spool spool;
    private final Supplier<Recording> recording;
    private final LongSupplier mostBytes;
    private volatile Level level = Level.FINE;
    private volatile long waiting;

    private enum Level {
        FINE,
        /// A quarter is used.
        LARGE,
        FULL
    }

    /// @param recording as readers see it
    public SpoolGuard(Spool spool, Supplier<Recording> recording, LongSupplier mostBytes) {
        this.spool = spool;
        this.recording = recording;
        this.mostBytes = mostBytes;
    }

    /// Refuses if there was no room at the last look.
    public void check() {
        if (level == Level.FULL) {
            throw new SpurException(
                    ErrorCode.DISK_FULL,
                    "the accounting database has been away for so long that %d MiB of records wait for it, the most there may be: no more jobs are taken until it is back. Those that are queued or running go on. Tell your administrator"
                            .formatted(waiting >> 20));
        }
    }

    /// Looks how much is waiting, and tells the log when that means something else than before. To
    /// be called every second.
    public synchronized void look() {
        var most = mostBytes.getAsLong();
        waiting = spool.bytesBehind(recording.get().stored());
        var now = level(most);
        if (now != level) {
            level = now;
            tell(most);
        }
    }

    /// It stays as bad as it is until an eighth is gone, so that it does not change with every job.
    private Level level(long most) {
        if (waiting >= (level == Level.FULL ? most - most / 8 : most)) {
            return Level.FULL;
        }
        var quarter = most / 4;
        return waiting >= (level == Level.FINE ? quarter : quarter - quarter / 8)
                ? Level.LARGE
                : Level.FINE;
    }

    private void tell(long most) {
        var event =
                switch (level) {
                    case FINE -> LOG.atInfo();
                    case LARGE -> LOG.atWarn();
                    case FULL -> LOG.atError();
                };
        event.addKeyValue("waitingMb", waiting >> 20)
                .addKeyValue("mostMb", most >> 20)
                .log(
                        switch (level) {
                            case FINE -> "the accounting database keeps up again";
                            case LARGE ->
                                    "accounting records pile up: look after spurdbd and its database";
                            case FULL ->
                                    "no more jobs are taken: accounting.spool_max_mb of records wait for the database. Bring spurdbd back, or raise that key";
                        });
    }

    /// For `scontrol ping`; empty if all is well.
    public String trouble() {
        var most = mostBytes.getAsLong();
        return switch (level) {
            case FINE -> "";
            case LARGE ->
                    "%d MiB of accounting records wait for the database; at %d MiB no more jobs are taken. Look after spurdbd"
                            .formatted(waiting >> 20, most >> 20);
            case FULL ->
                    "no more jobs are taken: %d MiB of accounting records wait for the database. Bring spurdbd back, or raise accounting.spool_max_mb"
                            .formatted(waiting >> 20);
        };
    }
}
