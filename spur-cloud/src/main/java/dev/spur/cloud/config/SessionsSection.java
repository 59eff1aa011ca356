package dev.spur.cloud.config;

import dev.spur.runtime.config.Key;
import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;
import java.time.Duration;
import java.util.List;

/// `[sessions]` in spur-cloud.toml.
public record SessionsSection(
        @Means("How long a session lasts unless its owner says") @Key("default_minutes")
                Duration usual,
        @Means("How long it may last at most, with all extensions") @Key("longest_minutes")
                Duration longest,
        @Means("The most GPUs of one session") int maxGpus,
        @Means("The most sessions that one person has at a time") int maxPerUser,
        @Means("The partition of sessions whose owners name none; empty: the cluster's default")
                String partition,
        @Means("How long before its end the owner of a session is warned") @Key("warning_minutes")
                Duration warning,
        List<Template> templates) {
    public static final SessionsSection DEFAULTS =
            new SessionsSection(
                    Duration.ofMinutes(240),
                    Duration.ofDays(7),
                    8,
                    50,
                    "",
                    Duration.ofMinutes(15),
                    List.of());

    /// An environment that people choose by name.
    ///
    /// @param setup lines of shell that run before the session is there for its owner
    public record Template(
            @Means("By which it is asked for") @Key(required = true) String name,
            @Means("What it is, for people") String title,
            @Means("What it is good for") String description,
            @Means("The image, where containers run it") String image,
            @Means("Shell that prepares it, where the node itself runs it") String setup) {
        public static final Template DEFAULTS = new Template("", "", "", "", "");

        public Template {
            new Rules()
                    .require(
                            name.isEmpty() || name.matches("[a-z0-9][a-z0-9._-]{0,62}"),
                            "name",
                            "must be a short word in lower case, was \"%s\"",
                            name)
                    .check();
        }
    }

    public SessionsSection {
        templates = List.copyOf(templates);
        new Rules()
                .between(1, usual.toMinutes(), longest.toMinutes(), "default_minutes")
                .between(1, maxGpus, 1024, "max_gpus")
                .between(1, maxPerUser, 10_000, "max_per_user")
                .check();
    }
}
