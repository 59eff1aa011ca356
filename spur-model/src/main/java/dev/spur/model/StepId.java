package dev.spur.model;

/// A step's number within its job. The highest numbers are reserved, as in Slurm.
public record StepId(int value) implements Comparable<StepId> {
    public static final StepId INTERACTIVE = new StepId(0xffff_fffa);
    public static final StepId BATCH = new StepId(0xffff_fffb);
    public static final StepId EXTERN = new StepId(0xffff_fffc);

    /// `0`, `17`, `batch`, `extern`, `interactive`.
    public static StepId parse(String text) {
        return switch (text) {
            case "batch" -> BATCH;
            case "extern" -> EXTERN;
            case "interactive" -> INTERACTIVE;
            default -> new StepId(Integer.parseUnsignedInt(text));
        };
    }

    public boolean isReserved() {
        return Integer.compareUnsigned(value, INTERACTIVE.value) >= 0;
    }

    @Override
    public int compareTo(StepId other) {
        return Integer.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        if (this.equals(BATCH)) {
            return "batch";
        }
        if (this.equals(EXTERN)) {
            return "extern";
        }
        return this.equals(INTERACTIVE) ? "interactive" : Integer.toUnsignedString(value);
    }
}
