package dev.spur.controller.access;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a part of the controller's disk free: below it no more jobs are taken, so that ends of
/// jobs, cancellations and the next snapshot, which make room, can still be written. Jobs are taken
/// again when a quarter more than the reserve is free, so that the answer does not change with
/// every job.
public final class DiskGuard {
    private static final Logger LOG = LoggerFactory.getLogger(DiskGuard.class);

    private final Path directory;
    private final LongSupplier freeBytes;
    private final LongSupplier reserveBytes;
    private volatile boolean refusing;

    /// @param directory what to call the place
    public DiskGuard(Path directory, LongSupplier freeBytes, LongSupplier reserveBytes) {
        this.directory = directory;
        this.freeBytes = freeBytes;
        this.reserveBytes = reserveBytes;
    }

    /// Of the disk that this directory is on.
    public static DiskGuard of(Path directory, LongSupplier reserveBytes) {
        return new DiskGuard(directory, directory.toFile()::getUsableSpace, reserveBytes);
    }

    /// Refuses if there was no room for more at the last look. A file system may take its time to
    /// answer, and whoever submits is served by a thread that serves others too: it is not asked
    /// here. What arrives between two looks fits into the reserve.
    public void check() {
        if (refusing) {
            throw new SpurException(
                    ErrorCode.DISK_FULL,
                    "the controller's disk is full: it takes no more jobs until there is room again. Those that are queued or running go on. Try again later, or tell your administrator");
        }
    }

    /// Asks the file system, and tells the log when the answer changes. To be called every second.
    public synchronized void look() {
        var reserve = reserveBytes.getAsLong();
        var free = freeBytes.getAsLong();
        var isLow = free < (refusing ? reserve + reserve / 4 : reserve);
        if (isLow != refusing) {
            refusing = isLow;
            tell(free, reserve);
        }
    }

    private void tell(long free, long reserve) {
        if (refusing) {
            LOG.atWarn()
                    .addKeyValue("directory", directory)
                    .addKeyValue("freeMb", free >> 20)
                    .addKeyValue("reserveMb", reserve >> 20)
                    .log(
                            "the disk is full: no more jobs are taken until there is room again; free some space there");
        } else {
            LOG.atInfo()
                    .addKeyValue("directory", directory)
                    .addKeyValue("freeMb", free >> 20)
                    .log("the disk has room again: jobs are taken");
        }
    }
}
