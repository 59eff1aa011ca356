package dev.spur.agent.launch;

import java.nio.file.Path;
import java.util.Optional;

/// Where sbatch, squeue and the rest are on a node, for those who come to it by a session and have
/// no login that says so.
///
/// @param programs their directory; "": where every program is
/// @param door the socket that serves them; "": the usual one
public record Commands(String programs, String door) {
    public static final Commands USUAL = new Commands("", "");

    /// The door may be where sessions have files of their own.
    String shown() {
        return Optional.ofNullable(Path.of(door).getParent()).map(Path::toString).orElse("");
    }

    void addTo(Environment environment) {
        if (!programs.isEmpty()) {
            environment.prepend("PATH", programs);
        }
        if (!door.isEmpty()) {
            environment.put("SPUR_DOOR", door);
        }
    }
}
