package dev.spur.runtime.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// A configuration as read: the values, and what a person should know about the file.
///
/// @param warnings things that work but deserve a look, with file and line
/// @param notYetUsed keys that are set and known, but control nothing in this release
public record ConfigFile(SpurConfig config, List<String> warnings, List<String> notYetUsed) {
    /// Where the file is when nobody says otherwise.
    public static final Path DEFAULT_PATH = Path.of("/etc/spur/spur.conf");

    public ConfigFile {
        warnings = List.copyOf(warnings);
        notYetUsed = List.copyOf(notYetUsed);
    }

    /// Reads a file; one that does not exist stands for the built-in defaults.
    public static ConfigFile load(Path path) {
        var name = String.valueOf(path.getFileName());
        try {
            return parse(Files.readString(path), name);
        } catch (NoSuchFileException _) {
            return new ConfigFile(SpurConfig.DEFAULTS, List.of(), List.of());
        } catch (CharacterCodingException _) {
            throw new ConfigException(List.of("%s is not a text in UTF-8.".formatted(path)));
        } catch (IOException e) {
            throw new ConfigException(List.of("%s cannot be read: %s.".formatted(path, e)));
        }
    }

    public static ConfigFile parse(String text) {
        return parse(text, "spur.conf");
    }

    private static ConfigFile parse(String text, String name) {
        var binder = new Binder(name, new KeyLines(text));
        var config =
                binder.bind(SpurConfig.class, TomlFile.tree(text, name), "", SpurConfig.DEFAULTS);
        if (!binder.problems().isEmpty()) {
            throw new ConfigException(binder.problems());
        }
        giveAdvice(config, binder);
        return new ConfigFile(config, binder.warnings(), binder.notYetUsed());
    }

    private static void giveAdvice(SpurConfig config, Binder binder) {
        var controller = config.controller();
        if (controller.hosts().size() == 2 || controller.peers().size() == 2) {
            binder.warn(
                    "controller.hosts",
                    "two controllers are named: both must be up, since one alone is not a majority. "
                            + "Use one, or three to survive the loss of one.");
        }
        if (config.auth().mode() != AuthConfig.Mode.REQUIRED) {
            binder.warn(
                    "auth.mode",
                    "auth.mode has no weaker setting here: every caller is identified, as with \"required\".");
        }
        if (!config.auth().tls()) {
            binder.warn(
                    "auth.tls",
                    "TLS IS OFF: anybody on the network can read and alter what is sent, and no host can prove "
                            + "which it is. Only daemons on the controller's own host are believed; everybody else "
                            + "needs a token. For trials only.");
        }
        if (config.admission().mode() == AdmissionConfig.Mode.OPEN) {
            binder.warn(
                    "admission.mode",
                    "hosts do not join without a token here: \"open\" is treated as \"token\".");
        }
    }
}
