package dev.spur.cli.format;

import dev.spur.api.view.DataVersion;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.IndentedText;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.PlainLayout;
import dev.spur.api.view.SlurmLayout;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a command prints for programs, with `--json` or `--yaml`: the structures of Slurm's REST
/// API. Goes out as it is written.
public final class Document {
    private static final int PIECE = 24 * 1024;

    private final Invocation in;
    private final DataVersion version;
    private final @Nullable IndentedText indented;
    private final JsonText json = new JsonText().raw('{');

    private Document(Invocation in, DataVersion version, @Nullable IndentedText indented) {
        this.in = in;
        this.version = version;
        this.indented = indented;
    }

    /// The value of `--json` or `--yaml`.
    record Wish(boolean isList, DataVersion version) {
        static Wish parse(String text) {
            // Behind a + are flags for how Slurm's parser works, not for what it prints.
            var word = text.replaceFirst("\\+.*", "").replace("data_parser/", "");
            if (word.equals("list")) {
                return new Wish(true, DataVersion.USUAL);
            }
            return DataVersion.ALL.stream()
                    .filter(each -> word.isEmpty() || each.word().equals(word))
                    .findFirst()
                    .map(each -> new Wish(false, word.isEmpty() ? DataVersion.USUAL : each))
                    .orElseThrow(() ->
                            new Failure(
                                    "there is no version %s of this output; there are: %s"
                                            .formatted(word, versions(", "))));
        }
    }

    private static String versions(String between) {
        return String.join(between, DataVersion.ALL.stream().map(DataVersion::word).toList());
    }

    public static boolean isWanted(Arguments arguments) {
        return arguments.hasAny(ListingOptions.JSON, ListingOptions.YAML);
    }

    /// Whether the caller only asks which versions there are, and has been told.
    public static boolean listsVersions(Invocation in, Arguments arguments) {
        var wish = arguments.get(ListingOptions.JSON).or(() -> arguments.get(ListingOptions.YAML));
        if (wish.isEmpty() || !wish.get().isList()) {
            return false;
        }
        in.out()
                .println("Possible data_parser plugins:")
                .println("data_parser/" + versions("\ndata_parser/"));
        return true;
    }

    /// Empty: the caller wants to read it himself.
    public static Optional<Document> of(Invocation in, Arguments arguments) {
        var yaml = arguments.get(ListingOptions.YAML);
        var wish = arguments.get(ListingOptions.JSON).or(() -> yaml);
        return wish.map(each -> new Document(in, each.version(), indented(in, yaml.isPresent())));
    }

    private static @Nullable IndentedText indented(Invocation in, boolean isYaml) {
        var compact = in.environment(isYaml ? "SLURM_YAML" : "SLURM_JSON");
        if ("compact".equals(compact)) {
            return null;
        }
        return new IndentedText(isYaml ? IndentedText.Form.YAML : IndentedText.Form.JSON);
    }

    /// Entities in Slurm's structures.
    public <M> Document list(
            String key, EntityTable<M> table, List<M> entities, Surroundings surroundings) {
        json.text(key).raw(":[");
        var layout = SlurmLayout.of(table);
        for (var entity : entities) {
            layout.write(entity, json, surroundings);
            send();
            json.raw(',');
        }
        json.withoutLastComma().raw("],");
        return this;
    }

    /// One entity in Slurm's structure.
    public <M> Document one(String key, EntityTable<M> table, M entity, Surroundings surroundings) {
        json.text(key).raw(':');
        SlurmLayout.of(table).write(entity, json, surroundings);
        json.raw(',');
        return this;
    }

    /// Entities as `/api/v1` has them, where Slurm has no structure for them.
    public <M> Document plain(
            String key, EntityTable<M> table, List<M> entities, Surroundings surroundings) {
        json.text(key).raw(':');
        PlainLayout.of(table).writeAll(entities, json, surroundings);
        json.raw(',');
        return this;
    }

    public Document text(String key, String text) {
        json.text(key).raw(':').text(text).raw(',');
        return this;
    }

    public Document instant(String key, long micros) {
        json.text(key).raw(":{\"set\":true,\"infinite\":false,\"number\":");
        json.number(Math.floorDiv(micros, 1_000_000)).raw("},");
        return this;
    }

    /// What stands below all of it: who asked, and that nothing went wrong.
    public void end(String cluster) {
        json.raw("\"meta\":{\"plugin\":{\"type\":\"\",\"name\":\"\",\"data_parser\":");
        json.text("data_parser/" + version.word());
        json.raw(",\"accounting_storage\":\"accounting_storage/slurmdbd\"}");
        json.raw(",\"client\":{\"source\":\"\",\"user\":").text(in.caller().name());
        json.raw(",\"group\":").text(in.users().groupName(in.caller().gid()));
        json.raw("},\"command\":[").text(in.program()).raw(',');
        in.args().forEach(word -> json.text(word).raw(','));
        json.withoutLastComma().raw("],\"slurm\":");
        version.write(json, cluster);
        json.raw("},\"errors\":[],\"warnings\":[]}");
        print(json.take());
        in.out().write(indented == null ? new byte[] {'\n'} : indented.end());
    }

    /// The comma behind an entity may have to go yet, so a piece never ends with it.
    private void send() {
        if (json.size() >= PIECE) {
            print(json.take());
        }
    }

    private void print(byte[] piece) {
        in.out().write(indented == null ? piece : indented.retell(piece));
    }
}
