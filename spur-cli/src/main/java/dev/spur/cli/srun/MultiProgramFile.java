package dev.spur.cli.srun;

import dev.spur.api.v1.MultiProgram;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.UserFileException;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.ShellWords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// `--multi-prog`: a file with a program for each task. A line has task numbers (`0-2,5`, `*` for
/// the rest), the program and its arguments, in which `%t` is the task and `%o` its place among
/// those of the line.
final class MultiProgramFile {
    private static final int LARGEST = 4 << 20;

    private MultiProgramFile() {}

    static List<MultiProgram> read(Invocation in, String path, int tasks) throws IOException {
        String text;
        try {
            text = new String(in.files().read(path, LARGEST), in.charset());
        } catch (UserFileException _) {
            throw new Failure("Could not open multi_prog config file " + path);
        }
        var programs = new TreeMap<Integer, List<String>>();
        for (var line : text.replace("\\\n", " ").split("\n", -1)) {
            var words = words(line);
            if (words.isEmpty()) {
                continue;
            }
            if (words.size() < 2) {
                throw new Failure("No executable program specified for this task: " + line.strip());
            }
            assign(words, tasks, programs);
        }
        for (int rank = 0; rank < tasks; rank++) {
            if (!programs.containsKey(rank)) {
                throw new Failure(
                        "Configuration file %s invalid, no record for task id %d"
                                .formatted(path, rank));
            }
        }
        var wire = new ArrayList<MultiProgram>();
        programs.forEach((rank, argv) ->
                wire.add(MultiProgram.newBuilder().setTask(rank).addAllArgv(argv).build()));
        return wire;
    }

    private static List<String> words(String line) {
        try {
            return ShellWords.split(line);
        } catch (NotationException e) {
            throw new Failure("multi_prog config file: " + e.getMessage());
        }
    }

    private static void assign(List<String> words, int tasks, Map<Integer, List<String>> programs) {
        var ranks = ranks(words.getFirst(), tasks, programs);
        for (int offset = 0; offset < ranks.size(); offset++) {
            int rank = ranks.get(offset);
            var place = Integer.toString(offset);
            var argv =
                    words.subList(1, words.size()).stream()
                            .map(word ->
                                    word.replace("%t", Integer.toString(rank)).replace("%o", place))
                            .toList();
            if (rank < tasks && programs.putIfAbsent(rank, argv) != null) {
                throw new Failure("Multiple program specifications for task %d".formatted(rank));
            }
        }
    }

    private static List<Integer> ranks(
            String text, int tasks, Map<Integer, List<String>> programs) {
        if (text.equals("*")) {
            var rest = new ArrayList<Integer>();
            for (int rank = 0; rank < tasks; rank++) {
                if (!programs.containsKey(rank)) {
                    rest.add(rank);
                }
            }
            return rest;
        }
        try {
            return ArraySpec.parse(text).indices().boxed().toList();
        } catch (NotationException _) {
            throw new Failure("Invalid task list in multi_prog config file: " + text);
        }
    }
}
