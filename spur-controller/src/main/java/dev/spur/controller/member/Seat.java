package dev.spur.controller.member;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.SecretFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A controller's place among the others, decided at its first start and kept in `raft/seat`.
///
/// @param id by which the log knows it
/// @param controllers those it joined: asked until it is a member
public record Seat(String id, Beginning beginning, List<HostAndPort> controllers) {
    /// How its copy of the log began.
    public enum Beginning {
        /// It began the log, and others may have been added since.
        ALONE,
        /// It began the log together with those that `controller.peers` named.
        TOGETHER,
        /// It was added.
        ADDED,
        /// It has no log yet: it was told to join others and is not done with that. Whatever
        /// interrupts it there, it never begins a log of its own.
        JOINING;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Seat {
        controllers = List.copyOf(controllers);
    }

    static Optional<Seat> load(Path raft) {
        var file = file(raft);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var words = new HashMap<String, String>();
        new String(SecretFiles.read(file), StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.split(" ", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> words.put(pair[0], pair[1]));
        var id = words.getOrDefault("id", "");
        for (var beginning : Beginning.values()) {
            if (!id.isEmpty() && beginning.word().equals(words.get("began"))) {
                return Optional.of(
                        new Seat(id, beginning, addresses(words.getOrDefault("controllers", ""))));
            }
        }
        throw new IdentityException(
                "%s does not say which controller this is: it is damaged".formatted(file));
    }

    void store(Path raft) {
        SecretFiles.directory(raft);
        var lines =
                "id %s%nbegan %s%n".formatted(id, beginning.word())
                        + (controllers.isEmpty() ? "" : "controllers %s%n".formatted(joined()));
        SecretFiles.write(file(raft), lines.getBytes(StandardCharsets.UTF_8));
    }

    private String joined() {
        return String.join(",", controllers.stream().map(HostAndPort::toString).toList());
    }

    private static List<HostAndPort> addresses(String text) {
        return text.isEmpty()
                ? List.of()
                : HostAndPort.parseList(text, HostAndPort.CONTROLLER_PORT);
    }

    private static Path file(Path raft) {
        return raft.resolve("seat");
    }
}
