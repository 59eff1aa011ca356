package dev.spur.cli.format;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The columns a user asked for. Rows are appended to one buffer, so that a listing of any length
/// costs no object per cell.
public final class Layout<R> {
    private static final int USUAL_NAMED_WIDTH = 20;
    private static final int SMALLEST_FITTING_WIDTH = 9;
    private static final int NO_WIDTH = 0;
    private static final int FITTING = -1;

    private static final List<String> BLANKS =
            IntStream.range(0, 64).mapToObj(" "::repeat).toList();

    private final String prefix;
    private final List<Column<R>> columns;

    /// @param width 0: as wide as the value; [#FITTING] until [#fitted] has seen all rows
    private record Column<R>(Field<R> field, int width, boolean isRight, String suffix) {}

    private Layout(String prefix, List<Column<R>> columns) {
        this.prefix = prefix;
        this.columns = List.copyOf(columns);
    }

    /// Reads `-o`: `%[.][width]letter` with any text between. `%%` is a percent sign, `%#P` as wide
    /// as the longest value. Whatever is no field is complained about and shown as it stands.
    public static <R> Layout<R> ofLetters(
            FieldTable<R> table, String format, Consumer<String> complaints) {
        if (format.equals("%all")) {
            return all(table);
        }
        var prefix = new StringBuilder();
        var columns = new ArrayList<Column<R>>();
        var at = 0;
        while (at < format.length()) {
            if (format.charAt(at) != '%') {
                var end = format.indexOf('%', at);
                var literal = format.substring(at, end < 0 ? format.length() : end);
                appendLiteral(prefix, columns, literal);
                at += literal.length();
            } else if (format.startsWith("%%", at)) {
                appendLiteral(prefix, columns, "%");
                at += 2;
            } else {
                at = letterColumn(table, format, at, prefix, columns, complaints);
            }
        }
        return new Layout<>(prefix.toString(), columns);
    }

    /// Reads `-O`: `name[:[.][width][suffix]],…`. Without a colon a column is 20 wide; with a
    /// suffix and no width it is as wide as its value.
    public static <R> Layout<R> ofNames(
            FieldTable<R> table, String format, Consumer<String> complaints) {
        var columns = new ArrayList<Column<R>>();
        for (var part : format.split(",", -1)) {
            if (part.isEmpty()) {
                continue;
            }
            var colon = part.indexOf(':');
            var name = colon < 0 ? part : part.substring(0, colon);
            var field = table.byName(name.strip());
            if (field.isPresent()) {
                columns.add(namedColumn(field.get(), colon < 0 ? null : part.substring(colon + 1)));
            } else {
                complaints.accept(invalid(table, name));
            }
        }
        return new Layout<>("", columns);
    }

    /// The same columns, those asked to fit (`%#N`) now as wide as these rows need.
    public Layout<R> fitted(List<R> rows, View view) {
        var cell = new StringBuilder();
        var fitted = new ArrayList<Column<R>>(columns.size());
        for (var column : columns) {
            if (column.width() != FITTING) {
                fitted.add(column);
                continue;
            }
            var width = SMALLEST_FITTING_WIDTH;
            for (var row : rows) {
                cell.setLength(0);
                column.field().cell().append(cell, row, view);
                width = Math.max(width, cell.length());
            }
            fitted.add(new Column<>(column.field(), width, column.isRight(), column.suffix()));
        }
        return new Layout<>(prefix, fitted);
    }

    /// Which fields are shown. Some commands group their rows by what can be seen of them.
    public Set<Field<R>> fields() {
        var fields = new LinkedHashSet<Field<R>>();
        columns.forEach(column -> fields.add(column.field()));
        return fields;
    }

    public void header(StringBuilder text) {
        text.append(prefix);
        for (var column : columns) {
            var start = text.length();
            text.append(column.field().header());
            fit(text, start, column.width(), column.isRight(), true);
            text.append(column.suffix());
        }
        text.append('\n');
    }

    public void row(StringBuilder text, R row, View view) {
        text.append(prefix);
        for (var column : columns) {
            var start = text.length();
            column.field().cell().append(text, row, view);
            Printable.clean(text, start);
            fit(text, start, column.width(), column.isRight(), column.field().isCut());
            text.append(column.suffix());
        }
        text.append('\n');
    }

    private static void fit(
            StringBuilder text, int start, int width, boolean isRight, boolean isCut) {
        if (width <= NO_WIDTH) {
            return;
        }
        var missing = width - (text.length() - start);
        if (missing < 0 && isCut) {
            text.setLength(start + width);
        } else if (missing > 0) {
            text.insert(isRight ? start : text.length(), blanks(missing));
        }
    }

    private static String blanks(int count) {
        return count < BLANKS.size() ? BLANKS.get(count) : " ".repeat(count);
    }

    private static <R> int letterColumn(
            FieldTable<R> table,
            String format,
            int percent,
            StringBuilder prefix,
            List<Column<R>> columns,
            Consumer<String> complaints) {
        var at = percent + 1;
        var isRight = at < format.length() && format.charAt(at) == '.';
        if (isRight) {
            at++;
        }
        var isFitting = at < format.length() && format.charAt(at) == '#';
        if (isFitting) {
            at++;
        }
        var digits = at;
        while (at < format.length() && isDigit(format.charAt(at))) {
            at++;
        }
        if (at >= format.length()) {
            appendLiteral(prefix, columns, format.substring(percent));
            return format.length();
        }
        var width = isFitting ? FITTING : width(format, digits, at);
        var letter = format.charAt(at);
        var field = table.byLetter(letter);
        if (field.isPresent()) {
            columns.add(new Column<>(field.get(), width, isRight, ""));
        } else {
            complaints.accept(invalid(table, String.valueOf(letter)));
            appendLiteral(prefix, columns, format.substring(percent, at + 1));
        }
        return at + 1;
    }

    private static <R> Column<R> namedColumn(Field<R> field, @Nullable String how) {
        if (how == null) {
            return new Column<>(field, USUAL_NAMED_WIDTH, false, "");
        }
        var isRight = how.startsWith(".");
        var from = isRight ? 1 : 0;
        var at = from;
        while (at < how.length() && isDigit(how.charAt(at))) {
            at++;
        }
        return new Column<>(field, width(how, from, at), isRight, how.substring(at));
    }

    private static <R> Layout<R> all(FieldTable<R> table) {
        var columns = new ArrayList<Column<R>>();
        for (var field : table.withLetters()) {
            columns.add(new Column<>(field, NO_WIDTH, false, "|"));
        }
        return new Layout<>("", columns);
    }

    private static <R> void appendLiteral(
            StringBuilder prefix, List<Column<R>> columns, String literal) {
        if (columns.isEmpty()) {
            prefix.append(literal);
        } else {
            var last = columns.removeLast();
            columns.add(
                    new Column<>(
                            last.field(), last.width(), last.isRight(), last.suffix() + literal));
        }
    }

    private static String invalid(FieldTable<?> table, String specification) {
        return "Invalid " + table.noun() + " format specification: " + specification;
    }

    /// A width of more digits than any terminal has is a slip of the finger, not a wish.
    private static int width(String text, int from, int to) {
        return from == to ? NO_WIDTH : Integer.parseInt(text, from, Math.min(to, from + 4), 10);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
