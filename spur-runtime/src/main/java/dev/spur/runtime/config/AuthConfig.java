package dev.spur.runtime.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `[auth]` in spur.conf.
///
/// `jwt_key` is the key itself or the path of a file that holds it: tokens made elsewhere with this
/// key (as for Slurm's REST daemon) are then accepted beside the cluster's own.
public record AuthConfig(
        @Means("How callers from elsewhere identify themselves: tokens, or not at all")
                @Key(notYetUsed = true)
                Plugin plugin,
        @Means(
                        "Callers are always identified; the weaker modes are read, warned about and treated as required")
                Mode mode,
        @Means(
                        "A further key whose tokens are accepted, as Slurm's jwt_hs256.key: the key itself or the path of a file that holds it")
                Secret jwtKey,
        @Means("Whether root may submit jobs from every host") @Key(notYetUsed = true)
                boolean allowRootJobs,
        @Means("Whether all connections are encrypted and mutually authenticated") boolean tls,
        @Means("Users who may do everything") @Key(live = true) List<String> admins,
        @Means("Users who may change jobs and nodes of everybody") @Key(live = true)
                List<String> operators) {

    public static final AuthConfig DEFAULTS =
            new AuthConfig(
                    Plugin.JWT, Mode.REQUIRED, Secret.parse(""), false, true, List.of(), List.of());

    public enum Plugin {
        JWT,
        NONE
    }

    /// The reference knew callers whom it could not identify and trusted them. Here a caller is
    /// always identified, so the two weaker modes are read, warned about and treated as `required`.
    public enum Mode {
        REQUIRED,
        PERMISSIVE,
        DISABLED
    }

    /// The bytes of `jwt_key`, read from its file if it is a path; null when none is configured.
    public byte @Nullable [] readJwtKey() {
        if (jwtKey.isEmpty()) {
            return null;
        }
        if (!jwtKey.reveal().startsWith("/")) {
            return jwtKey.reveal().getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Files.readAllBytes(Path.of(jwtKey.reveal()));
        } catch (IOException e) {
            throw new ConfigException(
                    List.of(
                            "auth.jwt_key names a file that cannot be read: %s."
                                    .formatted(e.getMessage())));
        }
    }

    public AuthConfig {
        admins = List.copyOf(admins);
        operators = List.copyOf(operators);
    }
}
