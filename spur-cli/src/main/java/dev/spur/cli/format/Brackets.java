package dev.spur.cli.format;

import java.util.ArrayList;
import java.util.List;

/// Lists whose members may have commas of their own inside brackets: `38,40_[1,3]`.
public final class Brackets {
    private Brackets() {}

    public static List<String> split(String text) {
        var parts = new ArrayList<String>();
        var depth = 0;
        var start = 0;
        for (var i = 0; i <= text.length(); i++) {
            var c = i == text.length() ? ',' : text.charAt(i);
            if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            } else if (c == ',' && (depth <= 0 || i == text.length())) {
                var part = text.substring(start, i).strip();
                if (!part.isEmpty()) {
                    parts.add(part);
                }
                start = i + 1;
            }
        }
        return parts;
    }
}
