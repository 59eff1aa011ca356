package dev.spur.api.view;

import java.util.List;

/// Signals by number, as clients of the REST API read them.
final class SignalNames {
    private static final List<String> NAMES =
            List.of(
                    "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1",
                    "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP",
                    "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
                    "PWR", "SYS");

    private SignalNames() {}

    static String of(int signal) {
        return signal > 0 && signal < NAMES.size() ? NAMES.get(signal) : Integer.toString(signal);
    }
}
