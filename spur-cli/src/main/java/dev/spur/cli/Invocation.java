package dev.spur.cli;

import dev.spur.api.client.AnswerAccount;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything a command may see of the process that called it. Behind the door that process is the
/// C program `spur` on the other end of a socket, in [Main] it is the JVM's own; tools cannot tell.
public interface Invocation {
    /// The name the command goes by in messages: `squeue`, whatever link or verb called it.
    String program();

    /// The arguments after the program name.
    List<String> args();

    Map<String, String> environment();

    /// One variable of the caller's environment, or null when it is not set.
    default @Nullable String environment(String name) {
        return environment().get(name);
    }

    /// The caller's working directory, absolute.
    String workingDirectory();

    int umask();

    /// The session the caller belongs to, by the process id of its leader; 0 if that is not known.
    int session();

    Caller caller();

    /// The caller's resource limits, for jobs that inherit them.
    List<ResourceLimit> limits();

    /// The zone in which the caller reads times: its `TZ`, else the system's.
    ZoneId zone();

    /// The caller's character set, by which arguments were read and output is written.
    Charset charset();

    Terminal terminal();

    /// Standard output. Buffered until [Output#flush], a full buffer, a line on [#err] or the end.
    Output out();

    /// Standard error. Every print is sent at once.
    Output err();

    /// Standard input, read on demand: nothing is taken from the caller before the first read.
    InputStream input();

    Signals signals();

    UserFiles files();

    Children children();

    UserDirectory users();

    InstantSource clock();

    /// A fresh id for a request that must act at most once however often it is sent.
    String newRequestId();

    /// What outlives the door that runs the command.
    Memory memory();

    /// For what the command is answered. A door that serves many has not room for all of it at
    /// once.
    default AnswerAccount answers() {
        return AnswerAccount.NOBODYS;
    }

    /// Lifts the door's bound on a command's duration. Called by those that wait: `srun`, `salloc`,
    /// `sbatch --wait`, `squeue --iterate`.
    void takesLong();
}
