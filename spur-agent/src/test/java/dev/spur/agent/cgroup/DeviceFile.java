package dev.spur.agent.cgroup;

import java.io.IOException;
import java.nio.file.Path;

/// Device files that stand for GPUs: what can be read from them does not matter, only whether.
final class DeviceFile {
    private DeviceFile() {}

    /// As `/dev/zero`.
    static Path zero(Path file) throws Exception {
        return make(file, 5);
    }

    /// As `/dev/full`.
    static Path full(Path file) throws Exception {
        return make(file, 7);
    }

    private static Path make(Path file, int minor) throws IOException, InterruptedException {
        var mknod =
                new ProcessBuilder(
                        "mknod", "-m", "666", file.toString(), "c", "1", Integer.toString(minor));
        if (mknod.inheritIO().start().waitFor() != 0) {
            throw new IOException("cannot make the device " + file);
        }
        return file;
    }
}
