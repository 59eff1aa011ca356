package dev.spur.cli.sacctmgr;

import dev.spur.model.notation.Durations;
import java.time.Duration;

/// Values as sacctmgr writes them; what is not there is an empty cell.
final class Cells {
    private Cells() {}

    static String count(boolean isThere, int value) {
        return isThere ? Integer.toUnsignedString(value) : "";
    }

    static String minutes(boolean isThere, int value) {
        return isThere ? Durations.padded(Duration.ofMinutes(value & 0xffff_ffffL)) : "";
    }
}
