package dev.spur.runtime.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/// Facts about the machine this process runs on.
public final class ThisHost {
    private static final int LONGEST_NAME = 256;

    private ThisHost() {}

    /// The host name up to its first dot, which is what Slurm calls a node.
    public static String shortName() {
        var name = fullName();
        int dot = name.indexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    /// The host name as the kernel has it.
    public static String fullName() {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(LONGEST_NAME + 1);
            if (Libc.call(Libc.GETHOSTNAME, buffer, (long) LONGEST_NAME) != 0) {
                throw new IllegalStateException("this machine does not tell its host name");
            }
            return buffer.getString(0);
        }
    }

    /// Another after each start of the machine: jobs seen under an older one are gone.
    public static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the machine's boot id", e);
        }
    }

    /// Makes this process the first of a new session, so that no terminal's hang-up or Ctrl-C
    /// reaches it. False if it already leads a process group.
    public static boolean leaveTerminal() {
        return Libc.call(Libc.SETSID) >= 0;
    }
}
