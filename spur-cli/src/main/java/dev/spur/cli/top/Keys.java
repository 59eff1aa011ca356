package dev.spur.cli.top;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Keys as a terminal in raw mode sends them, by name.
final class Keys {
    private static final int ESCAPE = 27;

    private final InputStream in;
    private int ahead = -1;

    Keys(InputStream in) {
        this.in = in;
    }

    /// The next; nothing when nobody types any more.
    Optional<String> next() throws IOException {
        var key = read();
        return switch (key) {
            case -1 -> Optional.empty();
            case 3 -> Optional.of("CTRL_C");
            case 10, 13 -> Optional.of("ENTER");
            case 8, 127 -> Optional.of("BACKSPACE");
            case ESCAPE -> Optional.of(afterEscape());
            default -> Optional.of(Character.toString(key));
        };
    }

    /// Arrows come as escape, `[` and a letter at once; the key alone comes alone.
    private String afterEscape() throws IOException {
        if (in.available() == 0) {
            return "ESCAPE";
        }
        var second = read();
        if (second != '[' && second != 'O') {
            ahead = second;
            return "ESCAPE";
        }
        return switch (read()) {
            case 'A' -> "UP";
            case 'B' -> "DOWN";
            case '5' -> tilde("PAGE_UP");
            case '6' -> tilde("PAGE_DOWN");
            default -> "UNKNOWN";
        };
    }

    private String tilde(String key) throws IOException {
        var end = read();
        if (end != '~') {
            ahead = end;
        }
        return key;
    }

    private int read() throws IOException {
        if (ahead >= 0) {
            var key = ahead;
            ahead = -1;
            return key;
        }
        return in.read();
    }
}
