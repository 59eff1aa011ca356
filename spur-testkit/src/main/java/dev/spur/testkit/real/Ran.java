package dev.spur.testkit.real;

/// What a command printed and how it ended.
public record Ran(String out, String err, int exitCode) {
    public String firstLine() {
        return out.lines().findFirst().orElse("");
    }
}
