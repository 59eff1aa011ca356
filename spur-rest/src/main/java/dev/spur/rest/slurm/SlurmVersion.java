package dev.spur.rest.slurm;

import dev.spur.api.view.SlurmSchema;
import java.util.List;

/// A version of the API and the release of Slurm that it came with.
///
/// @param word in paths, `v0.0.42`
record SlurmVersion(String word, String major, String minor, String micro) {
    static final List<SlurmVersion> ALL =
            List.of(
                    new SlurmVersion("v0.0.40", "23", "11", "10"),
                    new SlurmVersion("v0.0.41", "24", "05", "5"),
                    new SlurmVersion("v0.0.42", "24", "11", "6"),
                    new SlurmVersion("v0.0.43", "25", "05", "3"));

    String release() {
        return "%s.%s.%s".formatted(major, minor, micro);
    }

    /// A path of the schema, in this version.
    String path(String path) {
        return path.replace(SlurmSchema.VERSION, word);
    }

    static SlurmVersion of(String path) {
        return ALL.stream()
                .filter(version -> path.contains("/" + version.word() + "/"))
                .findFirst()
                .orElse(ALL.get(2));
    }
}
