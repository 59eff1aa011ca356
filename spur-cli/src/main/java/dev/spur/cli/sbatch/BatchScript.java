package dev.spur.cli.sbatch;

import com.google.protobuf.ByteString;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.UserFileException;
import dev.spur.cli.submission.JobDescription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The text of a batch job.
///
/// @param content the script, byte for byte
/// @param name the job's name unless the user gives one
/// @param path where the script is, absolute; empty when it came from standard input or `--wrap`
/// @param source the script as messages name it
record BatchScript(ByteString content, String name, String path, String source) {
    /// Slurm's `max_script_size`.
    static final int LARGEST = 4 << 20;

    private static final String STANDARD_INPUT = "/dev/stdin";

    /// `--wrap`: a shell script around one command.
    static BatchScript wrapping(String command) {
        var text = "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" + command + "\n";
        return checked(text.getBytes(StandardCharsets.UTF_8), "wrap", "", "wrap");
    }

    static BatchScript fromInput(Invocation in, String name) throws IOException {
        var content = in.input().readNBytes(LARGEST + 1);
        return checked(content, name, "", "stdin");
    }

    /// The script the user named: relative to the working directory, else along `PATH`.
    static BatchScript named(Invocation in, String name) throws IOException {
        if (name.equals(STANDARD_INPUT)) {
            return fromInput(in, "stdin");
        }
        var path = locate(in, name);
        try {
            var base = String.valueOf(Path.of(path).getFileName());
            return checked(in.files().read(path, LARGEST), base, path, name);
        } catch (UserFileException e) {
            if (e.errno() == UserFileException.EFBIG) {
                throw tooLarge();
            }
            throw new Failure("Unable to open file " + name);
        }
    }

    private static String locate(Invocation in, String name) {
        var here = JobDescription.directory(in, name);
        if (name.indexOf('/') >= 0 || isFile(in, here)) {
            return here;
        }
        var path = in.environment("PATH");
        if (path != null) {
            for (var directory : path.split(":", -1)) {
                var candidate =
                        JobDescription.directory(
                                in, directory.isEmpty() ? name : directory + "/" + name);
                if (isFile(in, candidate)) {
                    return candidate;
                }
            }
        }
        return here;
    }

    private static boolean isFile(Invocation in, String path) {
        try {
            return in.files().status(path).isRegularFile();
        } catch (IOException _) {
            return false;
        }
    }

    /// Refuses what cannot be a script, before a job fails of it somewhere else.
    private static BatchScript checked(byte[] content, String name, String path, String source) {
        if (content.length > LARGEST) {
            throw tooLarge();
        }
        if (content.length == 0) {
            throw new Failure("Batch script is empty!");
        }
        var text = new String(content, StandardCharsets.ISO_8859_1);
        if (text.isBlank()) {
            throw new Failure("Batch script contains only whitespace!");
        }
        if (!text.startsWith("#!")) {
            throw failure(
                    "This does not look like a batch script.  The first",
                    "line must start with #! followed by the path to an interpreter.",
                    "For instance: #!/bin/sh");
        }
        if (text.indexOf('\0') >= 0) {
            throw failure(
                    "The Slurm controller does not allow scripts that",
                    "contain a NULL character '\\0'.");
        }
        if (text.contains("\r\n")) {
            throw failure(
                    "Batch script contains DOS line breaks (\\r\\n)",
                    "instead of expected UNIX line breaks (\\n).");
        }
        return new BatchScript(ByteString.copyFrom(content), name, path, source);
    }

    private static Failure tooLarge() {
        return failure(
                "Batch job submission failed: Pathname of a file, directory or other parameter too long",
                "The script is larger than 4 MiB. Let it read its data from a file.");
    }

    private static Failure failure(String... lines) {
        return new Failure(String.join("\nsbatch: error: ", lines));
    }
}
