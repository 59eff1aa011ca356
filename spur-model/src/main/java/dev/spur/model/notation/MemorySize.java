package dev.spur.model.notation;

/// An amount of memory in MiB, the unit in which Slurm counts it.
///
/// Accepted is a number with an optional unit `K`, `M`, `G` or `T` in either case and an optional
/// `B` (`4GB`); without a unit it is MiB, and KiB round up. Zero is a size too: `--mem=0` asks for
/// all memory of each node, which is for the option to know.
public record MemorySize(long mebibytes) implements Comparable<MemorySize> {
    public static final MemorySize ZERO = new MemorySize(0);

    private static final long MOST = 1L << 50;
    private static final String UNITS = "MGTPE";

    public MemorySize {
        if (mebibytes < 0 || mebibytes > MOST) {
            throw new IllegalArgumentException(
                    "a memory size is between 0 and 2^50 MiB, was " + mebibytes);
        }
    }

    public static MemorySize ofMebibytes(long mebibytes) {
        return new MemorySize(mebibytes);
    }

    public static MemorySize ofGibibytes(long gibibytes) {
        return new MemorySize(Math.multiplyExact(gibibytes, 1024L));
    }

    public static MemorySize parse(String text) {
        var end = 0;
        while (end < text.length() && Digits.isDigit(text.charAt(end))) {
            end++;
        }
        var number = Digits.parse(text.substring(0, end)).orElseThrow(() -> notASize(text));
        var unit = text.substring(end);
        if (unit.length() == 2 && (unit.charAt(1) == 'B' || unit.charAt(1) == 'b')) {
            unit = unit.substring(0, 1);
        }
        var mebibytes =
                switch (unit) {
                    case "K", "k" -> (number + 1023) / 1024;
                    case "", "M", "m" -> number;
                    case "G", "g" -> scaled(text, number, 1024L);
                    case "T", "t" -> scaled(text, number, 1024L * 1024);
                    default -> throw notASize(text);
                };
        if (mebibytes > MOST) {
            throw notASize(text);
        }
        return new MemorySize(mebibytes);
    }

    public boolean isZero() {
        return mebibytes == 0;
    }

    public MemorySize plus(MemorySize other) {
        return new MemorySize(Math.addExact(mebibytes, other.mebibytes));
    }

    public MemorySize minus(MemorySize other) {
        return new MemorySize(Math.subtractExact(mebibytes, other.mebibytes));
    }

    public MemorySize times(long factor) {
        return new MemorySize(Math.multiplyExact(mebibytes, factor));
    }

    @Override
    public int compareTo(MemorySize other) {
        return Long.compare(mebibytes, other.mebibytes);
    }

    /// As Slurm prints it: in the largest unit of which it is a whole or a half number, so `100M`,
    /// `4000M`, `1G`, `1.50G`; zero has no unit. For people to read: Slurm does not accept
    /// fractions back.
    @Override
    public String toString() {
        if (mebibytes == 0) {
            return "0";
        }
        double value = mebibytes;
        var unit = 0;
        while (value >= 1024 && (long) value % 512 == 0 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        var whole = value == (long) value;
        return (whole ? Long.toString((long) value) : Text.of("%.2f", value)) + UNITS.charAt(unit);
    }

    private static long scaled(String text, long number, long factor) {
        if (number > MOST / factor) {
            throw notASize(text);
        }
        return number * factor;
    }

    private static NotationException notASize(String text) {
        return new NotationException(
                text,
                "a memory size",
                "write a number with an optional unit K, M (the default), G or T, as in 4000 or 4G");
    }
}
