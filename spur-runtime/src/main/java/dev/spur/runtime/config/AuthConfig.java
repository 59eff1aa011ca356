package dev.spur.runtime.config;

import java.util.List;

/// `[auth]` in spur.conf.
///
/// `jwt_key` is the key itself or the path of a file that holds it: tokens made elsewhere with this
/// key (as for Slurm's REST daemon) are then accepted beside the cluster's own.
public record AuthConfig(
        Plugin plugin,
        Mode mode,
        Secret jwtKey,
        boolean allowRootJobs,
        boolean tls,
        @Key(live = true) List<String> admins,
        @Key(live = true) List<String> operators) {

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

    public AuthConfig {
        admins = List.copyOf(admins);
        operators = List.copyOf(operators);
    }
}
