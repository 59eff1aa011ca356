package dev.spur.model.notation;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Weights of resources as Slurm writes them: `CPU=1.0,Mem=0.25G,GRES/gpu=2`. A unit behind the
/// weight of memory says for how much it is; without one it is for a MiB.
public record TresWeights(Map<String, Double> byName) {
    public static final TresWeights NONE = new TresWeights(Map.of());

    public TresWeights {
        byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
    }

    public static TresWeights parse(String text) {
        var weights = new TreeMap<String, Double>();
        if (text.isBlank()) {
            return NONE;
        }
        for (var part : text.split(",", -1)) {
            var equals = part.indexOf('=');
            if (equals <= 0) {
                throw notWeights(text);
            }
            var name = part.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            weights.put(name, weight(text, part.substring(equals + 1).strip()));
        }
        return new TresWeights(weights);
    }

    private static double weight(String text, String value) {
        var unit = value.isEmpty() ? ' ' : value.charAt(value.length() - 1);
        var divisor =
                switch (unit) {
                    case 'K', 'k' -> 1.0 / 1024;
                    case 'G', 'g' -> 1024.0;
                    case 'T', 't' -> 1024.0 * 1024;
                    default -> 1.0;
                };
        var hasUnit = "KkMmGgTt".indexOf(unit) >= 0;
        var number = hasUnit ? value.substring(0, value.length() - 1) : value;
        // No spelled-out numbers (NaN, Infinity) and nothing below zero.
        if (number.isEmpty()
                || !number.chars().allMatch(c -> Digits.isDigit((char) c) || c == '.')) {
            throw notWeights(text);
        }
        try {
            return Double.parseDouble(number) / divisor;
        } catch (NumberFormatException e) {
            throw notWeights(text);
        }
    }

    private static NotationException notWeights(String text) {
        return new NotationException(
                text, "weights of resources", "write them as in CPU=1.0,Mem=0.25G,GRES/gpu=2");
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        byName.forEach((name, weight) ->
                text.append(text.isEmpty() ? "" : ",").append(name).append('=').append(weight));
        return text.toString();
    }
}
