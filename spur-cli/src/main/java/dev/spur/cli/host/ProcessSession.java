package dev.spur.cli.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Which session a process of this host belongs to, by the process id of its leader.
public final class ProcessSession {
    private ProcessSession() {}

    public static int ofThisProcess() {
        return of("self");
    }

    /// 0 if the process is gone or hidden.
    public static int of(int pid) {
        return of(Integer.toString(pid));
    }

    private static int of(String process) {
        try {
            return session(
                    Files.readString(
                            Path.of("/proc", process, "stat"), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    /// `pid (name) state parent group session`, where the name may hold anything (proc(5)).
    static int session(String stat) {
        var fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        return Integer.parseInt(fields[3]);
    }
}
