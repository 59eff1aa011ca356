package dev.spur.testkit.simulated.disk;

import java.util.Arrays;
import java.util.Random;

/// A file without its names, or a directory.
final class Inode {
    private static final byte[] NOTHING = {};

    private final boolean directory;
    private byte[] bytes = NOTHING;
    private int length;
    private byte[] durable = NOTHING;
    private boolean neverDurable;

    private Inode(boolean directory) {
        this.directory = directory;
    }

    static Inode directory() {
        return new Inode(true);
    }

    static Inode file() {
        return new Inode(false);
    }

    boolean isDirectory() {
        return directory;
    }

    int length() {
        return length;
    }

    void write(int at, byte[] more) {
        var end = Math.max(length, at + more.length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        System.arraycopy(more, 0, bytes, at, more.length);
        length = end;
    }

    byte[] read(int at, int most) {
        return at >= length ? NOTHING : Arrays.copyOfRange(bytes, at, Math.min(length, at + most));
    }

    void truncate(int to) {
        if (to < length) {
            Arrays.fill(bytes, to, length, (byte) 0);
            length = to;
        }
        neverDurable &= to > 0; // whatever is written from here on has pages of its own
    }

    void sync() {
        if (!neverDurable) {
            durable = Arrays.copyOf(bytes, length);
        }
    }

    /// As Linux does it: the pages count as clean afterwards, so later calls succeed and change
    /// nothing.
    void syncFailed() {
        neverDurable = true;
    }

    /// What was forced stays; of what was written behind it, some bytes, perhaps as zeros.
    void losePower(Random random) {
        var kept =
                length <= durable.length
                        ? durable.length
                        : durable.length + random.nextInt(length - durable.length + 1);
        var left = Arrays.copyOf(durable, kept);
        var areZeros = random.nextInt(4) == 0;
        if (!areZeros && kept > durable.length) {
            System.arraycopy(bytes, durable.length, left, durable.length, kept - durable.length);
        }
        bytes = left;
        length = kept;
        durable = left.clone();
        neverDurable = false;
    }
}
