package dev.spur.cli.scontrol;

/// `Key=Value`; a word without `=` is a key alone.
record Pair(String key, String value, boolean hasValue) {
    static Pair of(String word) {
        var equals = word.indexOf('=');
        return equals < 0
                ? new Pair(word, "", false)
                : new Pair(word.substring(0, equals), word.substring(equals + 1), true);
    }
}
