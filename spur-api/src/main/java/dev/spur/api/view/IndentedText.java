package dev.spur.api.view;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;

/// Retells JSON of [JsonText] with a line for each value: as JSON for people, or as YAML. Takes it
/// in pieces, wherever they are cut, and gives what is known by then.
public final class IndentedText {
    /// In which language.
    public enum Form {
        JSON,
        YAML
    }

    /// Words that are no text in YAML unless they are quoted.
    private static final Set<String> RESERVED =
            Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

    /// An object or a list that is open.
    private static final class Level {
        final boolean isList;
        final boolean isInLine;
        final int column;
        boolean isEmpty = true;
        boolean expectsName;

        Level(boolean isList, boolean isInLine, int column) {
            this.isList = isList;
            this.isInLine = isInLine;
            this.column = column;
            this.expectsName = !isList;
        }
    }

    private final Form form;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Deque<Level> open = new ArrayDeque<>();
    private final StringBuilder name = new StringBuilder();
    private boolean isInText;
    private boolean isInName;
    private boolean isEscaped;
    private boolean isInValue;

    public IndentedText(Form form) {
        this.form = form;
        if (form == Form.YAML) {
            write("---\n");
        }
    }

    /// What a further piece of JSON is retold as.
    public byte[] retell(byte[] json) {
        for (var letter : json) {
            take(letter);
        }
        return taken();
    }

    /// What is behind the last piece.
    public byte[] end() {
        out.write('\n');
        return taken();
    }

    private byte[] taken() {
        var bytes = out.toByteArray();
        out.reset();
        return bytes;
    }

    private void take(byte letter) {
        if (isInText) {
            inText(letter);
            return;
        }
        switch (letter) {
            case '{', '[' -> open(letter == '[');
            case '}', ']' -> close(letter);
            case ',' -> {
                isInValue = false;
                var level = open.element();
                level.expectsName = !level.isList;
                if (form == Form.JSON) {
                    out.write(',');
                }
            }
            case ':' -> write(form == Form.JSON ? ": " : ":");
            default -> value(letter);
        }
    }

    private void value(byte letter) {
        if (!isInValue) {
            begin();
            isInValue = true;
        }
        isInText = letter == '"';
        if (isInText) {
            isInValue = false;
        }
        if (isInText && isInName && form == Form.YAML) {
            name.setLength(0);
        } else {
            out.write(letter);
        }
    }

    private void inText(byte letter) {
        var isEnd = letter == '"' && !isEscaped;
        isEscaped = letter == '\\' && !isEscaped;
        isInText = !isEnd;
        if (isInName && form == Form.YAML) {
            if (isEnd) {
                yamlName();
            } else {
                name.append((char) (letter & 0xff));
            }
        } else {
            out.write(letter);
        }
        if (isEnd) {
            isInName = false;
        }
    }

    private void yamlName() {
        var text = name.toString();
        var isPlain =
                text.matches("[A-Za-z_][A-Za-z0-9_]*")
                        && !RESERVED.contains(text.toLowerCase(Locale.ROOT));
        out.writeBytes((isPlain ? text : "\"" + text + "\"").getBytes(StandardCharsets.ISO_8859_1));
    }

    /// A value or a name begins: its place on the page is found.
    private void begin() {
        var level = open.peek();
        if (level == null) {
            return;
        }
        var isName = level.expectsName;
        if (isName || level.isList) {
            newPlace(level);
        }
        isInName = isName;
        level.expectsName = false;
        if (!isName && form == Form.YAML) {
            out.write(' ');
        }
    }

    private void newPlace(Level level) {
        if (form == Form.YAML && level.isEmpty && level.isInLine) {
            write(open.size() > 1 ? " " : "");
        } else if (form == Form.JSON || !level.isEmpty || open.size() > 1) {
            newLine(level.column);
        }
        level.isEmpty = false;
        if (form == Form.YAML && level.isList) {
            out.write('-');
        }
    }

    private void open(boolean isList) {
        var around = open.peek();
        var isItem = around != null && around.isList;
        if (isItem) {
            newPlace(around);
        }
        isInValue = false;
        if (form == Form.JSON) {
            out.write(isList ? '[' : '{');
        }
        var column = around == null ? form == Form.JSON ? 2 : 0 : around.column + 2;
        open.push(new Level(isList, isItem, column));
    }

    private void close(byte letter) {
        isInValue = false;
        var level = open.pop();
        if (form == Form.JSON) {
            if (!level.isEmpty) {
                newLine(level.column - 2);
            }
            out.write(letter);
        } else if (level.isEmpty) {
            write(open.isEmpty() ? "" : " ");
            write(level.isList ? "[]" : "{}");
        }
    }

    private void newLine(int column) {
        out.write('\n');
        for (var i = 0; i < column; i++) {
            out.write(' ');
        }
    }

    private void write(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }
}
