package dev.spur.model.notation;

import java.time.Duration;
import java.util.Locale;

/// `--signal=[{R|B}:]SIGNAL[@SECONDS]`: a signal shortly before the end of the time limit.
///
/// `B` sends it to the batch shell only instead of to the steps only, `R` also lets the job start
/// when a reservation would cut it short by that much. Sixty seconds are the default.
public record SignalSpec(
        Signal signal, Duration before, boolean toBatchShell, boolean acrossReservation) {
    private static final int DEFAULT_SECONDS = 60;
    private static final int MOST_SECONDS = 65_535;

    public static SignalSpec parse(String text) {
        var colon = text.indexOf(':');
        var flags = colon < 0 ? "" : text.substring(0, colon).toUpperCase(Locale.ROOT);
        if (colon >= 0 && !flags.matches("B|R|BR|RB")) {
            throw notASpec(text);
        }
        var at = text.indexOf('@', colon + 1);
        var name = text.substring(colon + 1, at < 0 ? text.length() : at);
        return new SignalSpec(
                signal(text, name),
                Duration.ofSeconds(
                        at < 0 ? DEFAULT_SECONDS : seconds(text, text.substring(at + 1))),
                flags.contains("B"),
                flags.contains("R"));
    }

    /// As Slurm prints it: `B:USR1@120`, without the seconds if they are the default.
    @Override
    public String toString() {
        var flags = (acrossReservation ? "R" : "") + (toBatchShell ? "B" : "");
        return (flags.isEmpty() ? "" : flags + ":")
                + signal
                + (before.toSeconds() == DEFAULT_SECONDS ? "" : "@" + before.toSeconds());
    }

    private static Signal signal(String text, String name) {
        try {
            return Signal.parse(name);
        } catch (NotationException _) {
            throw notASpec(text);
        }
    }

    private static long seconds(String text, String field) {
        var seconds = Digits.parse(field).orElseThrow(() -> notASpec(text));
        if (seconds > MOST_SECONDS) {
            throw notASpec(text);
        }
        return seconds;
    }

    private static NotationException notASpec(String text) {
        return new NotationException(
                text,
                "a signal request",
                "write [B:]signal[@seconds] with a name or a number from 1 to 64 and at most 65535 seconds, as in"
                        + " B:USR1@120");
    }
}
