package dev.spur.model.notation;

import java.util.Locale;

/// A Linux signal by its number, 1 to 64, with the name and the description that people know.
public record Signal(int number) {
    public static final Signal HUP = new Signal(1);
    public static final Signal INT = new Signal(2);
    public static final Signal QUIT = new Signal(3);
    public static final Signal KILL = new Signal(9);
    public static final Signal USR1 = new Signal(10);
    public static final Signal USR2 = new Signal(12);
    public static final Signal TERM = new Signal(15);
    public static final Signal CONT = new Signal(18);
    public static final Signal STOP = new Signal(19);

    private static final int LAST = 64;
    private static final int FIRST_REAL_TIME = 34;

    /// Name and description by number; the first entry is for no signal.
    private static final String[][] KNOWN = {
        {"", ""},
        {"HUP", "Hangup"},
        {"INT", "Interrupt"},
        {"QUIT", "Quit"},
        {"ILL", "Illegal instruction"},
        {"TRAP", "Trace/breakpoint trap"},
        {"ABRT", "Aborted"},
        {"BUS", "Bus error"},
        {"FPE", "Floating point exception"},
        {"KILL", "Killed"},
        {"USR1", "User defined signal 1"},
        {"SEGV", "Segmentation fault"},
        {"USR2", "User defined signal 2"},
        {"PIPE", "Broken pipe"},
        {"ALRM", "Alarm clock"},
        {"TERM", "Terminated"},
        {"STKFLT", "Stack fault"},
        {"CHLD", "Child exited"},
        {"CONT", "Continued"},
        {"STOP", "Stopped (signal)"},
        {"TSTP", "Stopped"},
        {"TTIN", "Stopped (tty input)"},
        {"TTOU", "Stopped (tty output)"},
        {"URG", "Urgent I/O condition"},
        {"XCPU", "CPU time limit exceeded"},
        {"XFSZ", "File size limit exceeded"},
        {"VTALRM", "Virtual timer expired"},
        {"PROF", "Profiling timer expired"},
        {"WINCH", "Window changed"},
        {"IO", "I/O possible"},
        {"PWR", "Power failure"},
        {"SYS", "Bad system call"},
    };

    public Signal {
        if (number < 1 || number > LAST) {
            throw new IllegalArgumentException("a signal is a number from 1 to 64, was " + number);
        }
    }

    /// Reads a number or a name, in either case, with or without `SIG`.
    public static Signal parse(String text) {
        var number = Digits.parse(text);
        if (number.isPresent()) {
            var value = number.getAsLong();
            if (value < 1 || value > LAST) {
                throw notASignal(text);
            }
            return new Signal((int) value);
        }
        var word = text.toUpperCase(Locale.ROOT);
        var name = word.startsWith("SIG") ? word.substring(3) : word;
        for (var i = 1; i < KNOWN.length; i++) {
            if (KNOWN[i][0].equals(name)) {
                return new Signal(i);
            }
        }
        return switch (name) {
            case "IOT" -> new Signal(6);
            case "CLD" -> new Signal(17);
            case "POLL" -> new Signal(29);
            default -> throw notASignal(text);
        };
    }

    /// Without `SIG`; the number for signals that have no name.
    public String name() {
        return number < KNOWN.length ? KNOWN[number][0] : Integer.toString(number);
    }

    /// What the C library says about it, as in `task 0: Terminated`.
    public String description() {
        if (number < KNOWN.length) {
            return KNOWN[number][1];
        }
        return number < FIRST_REAL_TIME
                ? "Unknown signal " + number
                : "Real-time signal " + (number - FIRST_REAL_TIME);
    }

    @Override
    public String toString() {
        return name();
    }

    private static NotationException notASignal(String text) {
        return new NotationException(
                text, "a signal", "write a name such as TERM or SIGUSR1, or a number from 1 to 64");
    }
}
