package dev.spur.cli.options;

/// An expected end of a command in words of its own: printed as they stand, without `error:` in
/// front. For the few places where Slurm's tools break their own pattern and scripts know it.
public final class Refusal extends RuntimeException {
    private final int exitCode;

    public Refusal(int exitCode, String text) {
        super(text, null, false, false);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
