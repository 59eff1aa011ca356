package dev.spur.agent.registration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// How busy the node is, told with each heartbeat.
///
/// @param hundredths the load average of the last minute, times 100
public record NodeLoad(int hundredths, long freeMemoryMb) {
    public static NodeLoad ofThisMachine() {
        try {
            var load = Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0];
            return new NodeLoad(
                    (int) Math.round(Double.parseDouble(load) * 100),
                    NodeFacts.meminfo("MemFree") / 1024);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the machine's load", e);
        }
    }
}
