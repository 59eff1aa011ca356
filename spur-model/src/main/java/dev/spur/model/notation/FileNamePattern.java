package dev.spur.model.notation;

import org.jspecify.annotations.Nullable;

/// The name of a job's or step's output, error or input file with replacement symbols:
/// `slurm-%A_%4a.out` (sbatch(1), "filename pattern").
///
/// A number between percent sign and letter pads numbers with zeros, up to ten digits. Unknown
/// symbols stay as they are. A name with a backslash is taken literally, without its backslashes.
public record FileNamePattern(String text) {
    private static final int WIDEST = 10;

    /// What Slurm prints for the array index of a job that is none.
    private static final long NO_INDEX = 4_294_967_294L;

    /// What the symbols stand for. `step` is null in the batch step, `array` outside an array.
    public record Values(
            int job,
            @Nullable ArrayTask array,
            @Nullable Integer step,
            String host,
            int node,
            int task,
            String user,
            String jobName,
            int restarts) {}

    /// The array's own job id and the index of the task.
    public record ArrayTask(int arrayJob, int index) {}

    /// Whether tasks write to different files, which is so with `%t`.
    public boolean isPerTask() {
        return mentions("t");
    }

    /// Whether nodes write to different files, which is so with `%n` and `%N`.
    public boolean isPerNode() {
        return mentions("nN");
    }

    public String expand(Values values) {
        if (isLiteral()) {
            return withoutBackslashes();
        }
        var name = new StringBuilder();
        var position = 0;
        while (position < text.length()) {
            var symbol = symbolAt(position);
            if (symbol == null) {
                name.append(text.charAt(position));
                position++;
                continue;
            }
            var replaced = replacement(symbol, values);
            name.append(replaced == null ? text.substring(position, symbol.end) : replaced);
            position = symbol.end;
        }
        return name.toString();
    }

    @Override
    public String toString() {
        return text;
    }

    private record Symbol(char letter, int width, int end) {}

    private @Nullable Symbol symbolAt(int start) {
        if (text.charAt(start) != '%') {
            return null;
        }
        var end = start + 1;
        var width = 0;
        while (end < text.length() && Digits.isDigit(text.charAt(end))) {
            width = Math.min(WIDEST, width * 10 + text.charAt(end) - '0');
            end++;
        }
        return end == text.length() ? null : new Symbol(text.charAt(end), width, end + 1);
    }

    private static @Nullable String replacement(Symbol symbol, Values values) {
        var array = values.array();
        var step = values.step();
        var index = array == null ? NO_INDEX : Integer.toUnsignedLong(array.index());
        return switch (symbol.letter) {
            case '%' -> "%";
            case 'A' -> padded(array == null ? values.job() : array.arrayJob(), symbol);
            case 'a' -> padded(index, symbol);
            case 'b' -> padded(index % 10, symbol);
            case 'J' -> padded(values.job(), symbol) + (step == null ? "" : "." + step);
            case 'j' -> padded(values.job(), symbol);
            case 'N' -> values.host().isEmpty() ? null : shortName(values.host());
            case 'n' -> padded(values.node(), symbol);
            case 'r' -> padded(values.restarts(), symbol);
            case 's' -> step == null ? "batch" : padded(step, symbol);
            case 't' -> padded(values.task(), symbol);
            case 'u' -> values.user();
            case 'x' -> values.jobName();
            default -> null;
        };
    }

    private boolean mentions(String letters) {
        if (isLiteral()) {
            return false;
        }
        var position = 0;
        while (position < text.length()) {
            var symbol = symbolAt(position);
            if (symbol != null && letters.indexOf(symbol.letter) >= 0) {
                return true;
            }
            position = symbol == null ? position + 1 : symbol.end;
        }
        return false;
    }

    private boolean isLiteral() {
        return text.indexOf('\\') >= 0;
    }

    /// A backslash protects the character behind it, so two of them leave one.
    private String withoutBackslashes() {
        var name = new StringBuilder();
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            }
            if (i < text.length()) {
                name.append(text.charAt(i));
            }
        }
        return name.toString();
    }

    private static String padded(long number, Symbol symbol) {
        return symbol.width == 0
                ? Long.toString(number)
                : Text.of("%0" + symbol.width + "d", number);
    }

    private static String shortName(String host) {
        var dot = host.indexOf('.');
        return dot < 0 ? host : host.substring(0, dot);
    }
}
