package dev.spur.runtime.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlMapper;

/// A daemon's own configuration file: TOML, bound to records as spur.conf is, every problem told at
/// once.
///
/// A variable of the environment wins over the file: `[auth] jwt_secret` is
/// `PREFIX_AUTH_JWT_SECRET`, and `PREFIX_AUTH_JWT_SECRET_FILE` names a file that holds it, so that
/// a secret need not be in the configuration.
///
/// @param warnings things that work but deserve a look, with file and line
public record TomlFile<T extends Record>(T config, List<String> warnings) {
    private static final TomlMapper TOML = new TomlMapper();

    public TomlFile {
        warnings = List.copyOf(warnings);
    }

    /// Reads a file; one that does not exist stands for the defaults.
    public static <T extends Record> TomlFile<T> load(
            Path path, Class<T> type, T defaults, String prefix, Map<String, String> environment) {
        try {
            return parse(Files.readString(path), name(path), type, defaults, prefix, environment);
        } catch (NoSuchFileException _) {
            return parse("", name(path), type, defaults, prefix, environment);
        } catch (CharacterCodingException _) {
            throw new ConfigException(List.of("%s is not a text in UTF-8.".formatted(path)));
        } catch (IOException e) {
            throw new ConfigException(List.of("%s cannot be read: %s.".formatted(path, e)));
        }
    }

    /// Reads a text, with a name for messages.
    public static <T extends Record> TomlFile<T> parse(
            String text,
            String name,
            Class<T> type,
            T defaults,
            String prefix,
            Map<String, String> environment) {
        var tree = tree(text, name);
        override(tree, type, prefix, environment);
        var binder = new Binder(name, new KeyLines(text));
        var config = binder.bind(type, tree, "", defaults);
        if (!binder.problems().isEmpty()) {
            throw new ConfigException(binder.problems());
        }
        return new TomlFile<>(
                config,
                Stream.concat(binder.warnings().stream(), binder.notYetUsed().stream()).toList());
    }

    /// Every key with the value in force, one `key = value` a line, secrets redacted.
    public String effective() {
        return Effective.render(config);
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    static ObjectNode tree(String text, String name) {
        try {
            return text.isBlank() ? TOML.createObjectNode() : (ObjectNode) TOML.readTree(text);
        } catch (JacksonException e) {
            var at = e.getLocation();
            var place = at == null ? name + ": " : "%s line %d: ".formatted(name, at.getLineNr());
            throw new ConfigException(
                    List.of(place + "this is not TOML: %s.".formatted(e.getOriginalMessage())));
        }
    }

    /// Texts and secrets of sections, at any depth; lists and numbers are for the file.
    private static void override(
            ObjectNode table,
            Class<? extends Record> type,
            String prefix,
            Map<String, String> environment) {
        for (var entry : Keys.of(type).entries()) {
            var variable = prefix + "_" + entry.key().toUpperCase(Locale.ROOT);
            var section = entry.section();
            var raw = entry.component().getType();
            if (section != null && raw == section) {
                var below =
                        table.get(entry.key()) instanceof ObjectNode there
                                ? there
                                : TOML.createObjectNode();
                override(below, section, variable, environment);
                if (!below.isEmpty()) {
                    table.set(entry.key(), below);
                }
            } else if (raw == String.class || raw == Secret.class) {
                said(variable, environment).ifPresent(value -> table.put(entry.key(), value));
            }
        }
    }

    private static Optional<String> said(String variable, Map<String, String> environment) {
        var file = environment.get(variable + "_FILE");
        if (file == null) {
            return Optional.ofNullable(environment.get(variable));
        }
        try {
            return Optional.of(Files.readString(Path.of(file)).strip());
        } catch (IOException e) {
            throw new ConfigException(
                    List.of(
                            "%s_FILE names a file that cannot be read: %s."
                                    .formatted(variable, e)));
        }
    }
}
