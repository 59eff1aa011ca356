package dev.spur.testkit.simulated;

import com.google.protobuf.ByteString;
import java.time.Duration;

/// What a job's script does on a simulated machine. It travels as the script itself, so the right
/// one must arrive.
record SimulatedProgram(Duration duration, int exitCode, boolean ignoresTerm) {
    ByteString script() {
        return ByteString.copyFromUtf8(
                "#!/bin/simulated\n%d %d %b\n"
                        .formatted(duration.toMillis(), exitCode, ignoresTerm));
    }

    static SimulatedProgram of(ByteString script) {
        var words = script.toStringUtf8().lines().skip(1).findFirst().orElseThrow().split(" ", -1);
        return new SimulatedProgram(
                Duration.ofMillis(Long.parseLong(words[0])),
                Integer.parseInt(words[1]),
                Boolean.parseBoolean(words[2]));
    }
}
