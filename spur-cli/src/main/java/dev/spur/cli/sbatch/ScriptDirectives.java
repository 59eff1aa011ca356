package dev.spur.cli.sbatch;

import dev.spur.cli.Failure;
import dev.spur.cli.options.Refusal;
import dev.spur.cli.submission.Voice;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.ShellWords;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The options written in a script: `#SBATCH` lines, and `#PBS` lines translated.
///
/// Lines count from the top until the first that is neither blank nor a comment. A directive begins
/// in the first column.
final class ScriptDirectives {
    private static final String SBATCH = "#SBATCH";
    private static final String MISNAMED = "#SLURM";
    private static final String PBS = "#PBS";

    private final BatchScript script;
    private final Voice voice;

    ScriptDirectives(BatchScript script, Voice voice) {
        this.script = script;
        this.voice = voice;
    }

    /// One list of words per directive; those of PBS first, so that `#SBATCH` has the last word.
    List<List<String>> find(boolean ignorePbs) {
        var ours = new ArrayList<List<String>>();
        var theirs = new ArrayList<List<String>>();
        var lines = script.content().toString(StandardCharsets.UTF_8).split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            var line = lines[i];
            if (line.startsWith(SBATCH)) {
                ours.add(words(line.substring(SBATCH.length()), i + 1));
            } else if (line.startsWith(MISNAMED)) {
                voice.error(
                        "Change from #SLURM to #SBATCH in your script and verify the options are valid in sbatch");
                ours.add(words(line.substring(MISNAMED.length()), i + 1));
            } else if (line.startsWith(PBS) && !ignorePbs) {
                theirs.add(PbsTranslation.of(words(line.substring(PBS.length()), i + 1)));
            } else if (!line.isBlank() && !line.stripLeading().startsWith("#")) {
                break;
            }
        }
        theirs.addAll(ours);
        return theirs;
    }

    private List<String> words(String line, int number) {
        try {
            var words = ShellWords.split(line);
            if (words.contains("hetjob") || words.contains("packjob")) {
                throw new Failure("heterogeneous jobs (#SBATCH hetjob) are not supported yet");
            }
            return words;
        } catch (NotationException _) {
            var quote = line.indexOf('"') >= 0 ? '"' : '\'';
            throw new Refusal(
                    1,
                    "sbatch: fatal: %s: line %d: Unmatched `%s` in [%s]"
                            .formatted(script.source(), number, quote, line));
        }
    }
}
