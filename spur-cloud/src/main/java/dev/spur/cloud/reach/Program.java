package dev.spur.cloud.reach;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What to run.
///
/// @param name by which it is shown among the steps of the job
/// @param environment on top of the session's own
/// @param terminal null: output and error apart, without a terminal
public record Program(
        String name,
        List<String> command,
        Map<String, String> environment,
        @Nullable Terminal terminal) {
    /// The user's own shell: the one of the session's account, else the usual one.
    private static final String SHELL = "cd; s=${SHELL:-/bin/bash}; [ -x \"$s\" ] || s=/bin/sh; ";

    /// Where distributions put it; a node may lack it.
    private static final String SFTP =
            """
            cd
            for each in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server \
            /usr/libexec/sftp-server; do
                [ -x "$each" ] && exec "$each"
            done
            echo "The node of this session has no sftp-server: its administrator can install the package openssh-sftp-server." >&2
            exit 127
            """;

    /// @param type as in the variable TERM
    public record Terminal(String type, int rows, int columns) {}

    public Program {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    public static Program shell(Map<String, String> environment, @Nullable Terminal terminal) {
        return new Program("ssh", loginShell(), environment, terminal);
    }

    public static List<String> loginShell() {
        return List.of("/bin/sh", "-c", SHELL + "exec \"$s\" -l");
    }

    /// A line of shell, as `ssh HOST COMMAND` has it.
    public static Program line(
            String line, Map<String, String> environment, @Nullable Terminal terminal) {
        return new Program(
                "ssh",
                List.of("/bin/sh", "-c", SHELL + "exec \"$s\" -c \"$1\"", "sh", line),
                environment,
                terminal);
    }

    public static Program sftp(Map<String, String> environment) {
        return new Program("sftp", List.of("/bin/sh", "-c", SFTP), environment, null);
    }
}
