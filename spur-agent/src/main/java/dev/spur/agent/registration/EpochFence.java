package dev.spur.agent.registration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/// The highest leader's term this node has obeyed: orders of an older one are refused, also after a
/// restart.
public final class EpochFence {
    private final @Nullable Path file;
    private long highest;

    private EpochFence(@Nullable Path file, long highest) {
        this.file = file;
        this.highest = highest;
    }

    public static EpochFence open(Path file) {
        try {
            var known = Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
            return new EpochFence(file, known);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        } catch (NumberFormatException _) {
            return new EpochFence(file, 0); // torn by a crash: the controller tells a newer one
        }
    }

    /// For simulation.
    public static EpochFence inMemory() {
        return new EpochFence(null, 0);
    }

    synchronized long highest() {
        return highest;
    }

    /// False if the order comes from a leader that has been replaced.
    synchronized boolean admits(long epoch) {
        if (epoch > highest) {
            highest = epoch;
            save();
        }
        return epoch == highest;
    }

    private void save() {
        if (file == null) {
            return;
        }
        try {
            var next = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(next, highest + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
