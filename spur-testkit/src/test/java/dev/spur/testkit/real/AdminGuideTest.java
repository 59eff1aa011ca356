package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the administrator's guide and the units say to type is there to be typed.
class AdminGuideTest {
    private static final Path GUIDE = Path.of("../docs/admin.md");
    private static final Path UNITS = Path.of("../deploy/systemd");
    private static final Set<String> DAEMONS = Set.of("spurctld", "spurd", "spur-door");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```[a-z]*\n(.*?)^```$");
    private static final Pattern SPAN = Pattern.compile("`([^`\n]+)`");
    private static final Pattern PROMPT = Pattern.compile("^\\w+# +");
    private static final Pattern OPTION = Pattern.compile("^--?[A-Za-z][-a-z]*");

    private final RealCluster cluster = SharedCluster.get();
    private final Map<String, String> helps = new HashMap<>();

    @Test
    void commandsOfTheGuideAndTheirOptionsExist() throws IOException {
        var commands = commands(Files.readString(GUIDE));

        assertThat(commands)
                .extracting(words -> words.getFirst())
                .contains("spurctld", "spurd", "spur-door", "spur", "scontrol");
        commands.forEach(this::assertExists);
    }

    @Test
    void unitsStartTheDaemonsAsTheyCanBeStarted() throws IOException {
        try (var units = Files.list(UNITS)) {
            for (var unit : units.toList()) {
                var start =
                        Files.readAllLines(unit).stream()
                                .filter(line -> line.startsWith("ExecStart=/opt/spur/bin/"))
                                .map(line -> line.substring("ExecStart=/opt/spur/bin/".length()))
                                .toList();

                assertThat(start).as("%s", unit).hasSize(1);
                var words = List.of(start.getFirst().split(" "));
                assertThat(unit).hasFileName(words.getFirst() + ".service");
                assertThat(words).contains("-D");
                assertExists(words);
            }
        }
    }

    /// Programs of ours, each with its words.
    private static List<List<String>> commands(String guide) {
        var blocks = FENCE.matcher(guide).results().flatMap(block -> block.group(1).lines());
        var spans = SPAN.matcher(FENCE.matcher(guide).replaceAll("")).results();
        return Stream.concat(blocks, spans.map(span -> span.group(1)))
                .flatMap(line -> Stream.of(PROMPT.matcher(line).replaceFirst("").split("&&|;")))
                .map(command -> command.replaceFirst(" +#.*", "").strip())
                .map(command -> command.replaceAll("\\$\\([^)]*\\)", "NAME"))
                .map(command -> List.of(command.split(" +")))
                .filter(words -> isOurs(words.getFirst()))
                .toList();
    }

    private static boolean isOurs(String program) {
        return DAEMONS.contains(program)
                || Set.of("spur", "scontrol", "sinfo", "squeue", "srun", "sbatch")
                        .contains(program);
    }

    private void assertExists(List<String> words) {
        var program = new ArrayList<>(List.of(words.getFirst()));
        var rest = words.subList(1, words.size());
        if (program.getFirst().equals("spur") && !rest.isEmpty()) {
            assertThat(help(program)).as("%s", words).contains(" " + rest.getFirst() + " ");
            program.add(rest.getFirst());
            rest = rest.subList(1, rest.size());
        }
        if (!rest.isEmpty() && Set.of("spur", "scontrol").contains(program.getFirst())) {
            assertThat(help(program)).as("%s", words).contains(rest.getFirst());
        }
        for (var word : rest) {
            var option = OPTION.matcher(word);
            if (option.find()) {
                assertThat(help(program))
                        .as("%s", words)
                        .containsPattern("[ ,]" + option.group() + "[ ,=\\[\n]");
            }
        }
    }

    private String help(List<String> program) {
        return helps.computeIfAbsent(
                String.join(" ", program),
                _ -> {
                    var words = new ArrayList<>(program);
                    words.add("--help");
                    var told = cluster.run(words.toArray(String[]::new));
                    assertThat(told.exitCode()).as("%s", words).isZero();
                    return told.out();
                });
    }
}
