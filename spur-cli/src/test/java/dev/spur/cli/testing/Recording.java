package dev.spur.cli.testing;

import dev.spur.model.notation.ShellWords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What real Slurm printed for one command: see `src/test/resources/slurm`.
public record Recording(List<String> command, String output, int exitCode) {
    public static Recording of(String name) {
        var text = read("/slurm/" + name + ".txt");
        var firstLine = text.indexOf('\n');
        var exit = text.lastIndexOf("[exit ");
        return new Recording(
                ShellWords.split(text.substring(2, firstLine)),
                text.substring(firstLine + 1, exit),
                Integer.parseInt(text.substring(exit + 6, text.lastIndexOf(']'))));
    }

    public String program() {
        return command.getFirst();
    }

    /// The arguments, up to a pipe that only made the recording repeatable.
    public String[] arguments() {
        var pipe = command.indexOf("|");
        return command.subList(1, pipe < 0 ? command.size() : pipe).toArray(String[]::new);
    }

    private static String read(String resource) {
        try (var in = Recording.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new AssertionError("no recording " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
