package dev.spur.cli.format;

import dev.spur.cli.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A table with a rule below its heading, as sacct, sacctmgr, sreport and sshare print it; or, for
/// programs, one line per row with a delimiter between the values.
public final class RuledTable<R> {
    private static final int PIECE = 24 * 1024;
    private static final int NAMES_A_LINE = 4;

    private final List<RuledColumn<R>> columns;
    private final Style style;

    /// How it is to look.
    ///
    /// @param hasHeading not with `--noheader`
    public record Style(Form form, String delimiter, boolean hasHeading) {
        public static final Style PADDED = new Style(Form.PADDED, "|", true);

        /// As `-p`, `-P`, `--delimiter` and `-n` say.
        public static Style of(
                boolean behind, boolean between, String delimiter, boolean hasHeading) {
            return new Style(
                    behind ? Form.DELIMITER_BEHIND : between ? Form.DELIMITER_BETWEEN : Form.PADDED,
                    delimiter,
                    hasHeading);
        }
    }

    public enum Form {
        PADDED,
        /// `-p`: a delimiter behind each value.
        DELIMITER_BEHIND,
        /// `-P`: a delimiter between values.
        DELIMITER_BETWEEN
    }

    public RuledTable(List<RuledColumn<R>> columns, Style style) {
        this.columns = List.copyOf(columns);
        this.style = style;
    }

    /// The columns of a list like `jobid,state%20,user%-12`: each by the beginning of its name,
    /// whichever comes first in the table.
    ///
    /// @param unknown what to throw about a name that begins none
    public static <R> List<RuledColumn<R>> choose(
            List<RuledColumn<R>> all,
            String format,
            Function<String, ? extends RuntimeException> unknown) {
        var chosen = new ArrayList<RuledColumn<R>>();
        for (var part : ListingOptions.split(format)) {
            var percent = part.indexOf('%');
            var name = percent < 0 ? part : part.substring(0, percent);
            var column =
                    all.stream()
                            .filter(each -> begins(each.name(), name))
                            .findFirst()
                            .orElseThrow(() -> unknown.apply(name));
            chosen.add(
                    percent < 0 ? column : column.wide(width(part.substring(percent + 1), column)));
        }
        return chosen;
    }

    /// The names of all columns, as `--helpformat` lists them.
    public static String names(List<? extends RuledColumn<?>> all) {
        var text = new StringBuilder();
        for (var i = 0; i < all.size(); i++) {
            var name = all.get(i).name();
            var isLast = i % NAMES_A_LINE == NAMES_A_LINE - 1 || i == all.size() - 1;
            text.append(name).append(" ".repeat(Math.max(0, 19 - name.length())));
            text.append(isLast ? '\n' : ' ');
        }
        return text.toString();
    }

    private static boolean begins(String name, String start) {
        return !start.isEmpty()
                && name.toLowerCase(Locale.ROOT).startsWith(start.toLowerCase(Locale.ROOT));
    }

    private static int width(String text, RuledColumn<?> column) {
        return text.matches("-?[0-9]{1,4}") && Integer.parseInt(text) != 0
                ? Integer.parseInt(text)
                : column.width();
    }

    public void print(Output out, View view, Iterable<R> rows) {
        var text = new StringBuilder(1024);
        if (style.hasHeading()) {
            heading(text);
        }
        for (var row : rows) {
            line(text, column -> clean(column.cell().apply(row, view)), false);
            if (text.length() >= PIECE) {
                out.print(text.toString());
                text.setLength(0);
            }
        }
        out.print(text.toString());
    }

    private void heading(StringBuilder text) {
        line(text, RuledColumn::heading, true);
        if (style.form() == Form.PADDED) {
            text.append(
                            columns.stream()
                                    .map(column -> "-".repeat(Math.abs(column.width())) + " ")
                                    .collect(Collectors.joining()))
                    .append('\n');
        }
    }

    private void line(
            StringBuilder text, Function<RuledColumn<R>, String> value, boolean isHeading) {
        for (var i = 0; i < columns.size(); i++) {
            var column = columns.get(i);
            switch (style.form()) {
                case PADDED -> {
                    pad(text, value.apply(column), column, isHeading);
                    text.append(' ');
                }
                case DELIMITER_BEHIND -> text.append(value.apply(column)).append(style.delimiter());
                case DELIMITER_BETWEEN ->
                        text.append(i == 0 ? "" : style.delimiter()).append(value.apply(column));
            }
        }
        text.append('\n');
    }

    private static void pad(
            StringBuilder text, String value, RuledColumn<?> column, boolean isHeading) {
        var width = Math.abs(column.width());
        var shown = isHeading ? cut(value, width, "") : fitted(value, width, column.kind());
        var blanks = " ".repeat(Math.max(0, width - shown.length()));
        if (column.width() < 0) {
            text.append(shown).append(blanks);
        } else {
            text.append(blanks).append(shown);
        }
    }

    private static String fitted(String value, int width, RuledColumn.Kind kind) {
        return switch (kind) {
            case TEXT -> cut(value, width, "+");
            case TIME -> cut(value, width, "");
            case NUMBER -> value;
        };
    }

    private static String cut(String value, int width, String mark) {
        return value.length() <= width ? value : value.substring(0, width - mark.length()) + mark;
    }

    private static String clean(String value) {
        var text = new StringBuilder(value);
        Printable.clean(text, 0);
        return text.toString();
    }
}
