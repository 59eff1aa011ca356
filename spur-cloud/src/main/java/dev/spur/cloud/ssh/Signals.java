package dev.spur.cloud.ssh;

import java.util.Map;
import java.util.Map.Entry;
import org.apache.sshd.server.Signal;

/// The signals that SSH has words for (RFC 4254, 6.10).
final class Signals {
    private static final Map<Integer, String> NAMES =
            Map.ofEntries(
                    Map.entry(1, "HUP"),
                    Map.entry(2, "INT"),
                    Map.entry(3, "QUIT"),
                    Map.entry(4, "ILL"),
                    Map.entry(6, "ABRT"),
                    Map.entry(8, "FPE"),
                    Map.entry(9, "KILL"),
                    Map.entry(10, "USR1"),
                    Map.entry(11, "SEGV"),
                    Map.entry(12, "USR2"),
                    Map.entry(13, "PIPE"),
                    Map.entry(14, "ALRM"),
                    Map.entry(15, "TERM"));

    private Signals() {}

    static String name(int number) {
        return NAMES.getOrDefault(number, "SIG" + number + "@spur");
    }

    /// 0: none that is passed on.
    static int number(Signal signal) {
        return NAMES.entrySet().stream()
                .filter(entry -> entry.getValue().equals(signal.name()))
                .map(Entry::getKey)
                .findFirst()
                .orElse(0);
    }
}
