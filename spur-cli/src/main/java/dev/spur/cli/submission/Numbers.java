package dev.spur.cli.submission;

import dev.spur.cli.Failure;
import java.util.function.Function;

/// Readers of numbers that refuse what is none in Slurm's words.
public final class Numbers {
    private Numbers() {}

    /// One or more.
    public static Function<String, Integer> positive(String name) {
        return atLeast(1, name);
    }

    public static Function<String, Integer> notNegative(String name) {
        return atLeast(0, name);
    }

    private static Function<String, Integer> atLeast(int least, String name) {
        return text -> {
            try {
                var number = Integer.parseInt(text.strip());
                if (number >= least) {
                    return number;
                }
            } catch (NumberFormatException _) {
                // refused below, with the words for every bad number
            }
            throw new Failure("Invalid numeric value \"%s\" for %s.".formatted(text, name));
        };
    }
}
