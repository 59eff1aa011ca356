package dev.spur.cli.efficiency;

import dev.spur.model.notation.Text;

/// Sizes as seff writes them.
final class Sizes {
    private static final String[] UNITS = {"KB", "MB", "GB", "TB", "PB"};

    private Sizes() {}

    static String kibibytes(double kibibytes) {
        if (kibibytes <= 0) {
            return "0.00 MB";
        }
        var value = kibibytes;
        var unit = 0;
        for (; value >= 1024 && unit < UNITS.length - 1; unit++) {
            value /= 1024;
        }
        return Text.of("%.2f %s", value, UNITS[unit]);
    }
}
