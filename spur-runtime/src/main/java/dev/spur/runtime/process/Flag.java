package dev.spur.runtime.process;

import org.jspecify.annotations.Nullable;

/// One flag that a daemon knows.
///
/// @param letter the short form without its hyphen, or 0 if there is none
/// @param name the long form without its hyphens
/// @param value what stands for the value in the usage text; null for a flag that takes none
public record Flag(char letter, String name, @Nullable String value, String help) {
    public static final Flag FOREGROUND = toggle('D', "foreground", "stay in the foreground");
    public static final Flag VERSION = toggle('V', "version", "print the version and exit");
    public static final Flag HELP = toggle('h', "help", "print this text and exit");
    public static final Flag CONFIG =
            value('f', "config", "PATH", "configuration file (default /etc/spur/spur.conf)");
    public static final Flag LISTEN =
            value("listen", "ADDRESS", "address to listen on, as in [::]:6817");
    public static final Flag STATE_DIR = value("state-dir", "DIRECTORY", "where state is kept");
    public static final Flag LOG_LEVEL =
            value("log-level", "LEVEL", "error, warn, info, debug or trace");

    public static Flag toggle(char letter, String name, String help) {
        return new Flag(letter, name, null, help);
    }

    public static Flag toggle(String name, String help) {
        return new Flag('\0', name, null, help);
    }

    public static Flag value(char letter, String name, String value, String help) {
        return new Flag(letter, name, value, help);
    }

    public static Flag value(String name, String value, String help) {
        return new Flag('\0', name, value, help);
    }

    boolean takesValue() {
        return value != null;
    }

    String spelled() {
        return (letter == 0 ? "    " : "-" + letter + ", ")
                + "--"
                + name
                + (value == null ? "" : " " + value);
    }
}
