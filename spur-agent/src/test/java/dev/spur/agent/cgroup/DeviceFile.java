package dev.spur.agent.cgroup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    /// Eight that anybody may open, in the order of their names; opening does nothing.
    static List<Path> eight(Path directory) throws Exception {
        var numbers = List.of("1 5", "1 7", "1 8", "1 9", "10 229", "10 234", "10 235", "10 237");
        var files = new ArrayList<Path>();
        for (var index = 0; index < numbers.size(); index++) {
            var number = numbers.get(index).split(" ", 2);
            files.add(make(directory.resolve("gpu" + index), number[0], number[1]));
        }
        return files;
    }

    private static Path make(Path file, int minor) throws IOException, InterruptedException {
        return make(file, "1", Integer.toString(minor));
    }

    private static Path make(Path file, String major, String minor)
            throws IOException, InterruptedException {
        var mknod = new ProcessBuilder("mknod", "-m", "666", file.toString(), "c", major, minor);
        if (mknod.inheritIO().start().waitFor() != 0) {
            throw new IOException("cannot make the device " + file);
        }
        return file;
    }
}
