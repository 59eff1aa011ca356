package dev.spur.api.view;

import java.util.List;

/// A version of Slurm's structures, in REST and in `--json`, and the release that it came with.
///
/// @param word in paths, `v0.0.42`
public record DataVersion(String word, String major, String minor, String micro) {
    public static final List<DataVersion> ALL =
            List.of(
                    new DataVersion("v0.0.40", "23", "11", "10"),
                    new DataVersion("v0.0.41", "24", "05", "5"),
                    new DataVersion("v0.0.42", "24", "11", "6"),
                    new DataVersion("v0.0.43", "25", "05", "3"));

    /// The one whose structures the schema has.
    public static final DataVersion USUAL = ALL.get(2);

    public String release() {
        return "%s.%s.%s".formatted(major, minor, micro);
    }

    /// A path of the schema, in this version.
    public String path(String path) {
        return path.replace(SlurmSchema.VERSION, word);
    }

    /// The one that a path names.
    public static DataVersion of(String path) {
        return ALL.stream()
                .filter(version -> path.contains("/" + version.word() + "/"))
                .findFirst()
                .orElse(USUAL);
    }

    /// The `slurm` of an answer's `meta`.
    public void write(JsonText json, String cluster) {
        json.raw("{\"version\":{\"major\":").text(major);
        json.raw(",\"micro\":").text(micro);
        json.raw(",\"minor\":").text(minor).raw("},\"release\":");
        json.text(release()).raw(",\"cluster\":").text(cluster).raw('}');
    }
}
