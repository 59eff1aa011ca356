package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;

/// `[server]` in spur-cloud.toml.
public record ServerSection(
        @Means("Where the API listens") String listenAddr,
        @Means("The namespace of sessions in Kubernetes") String sessionNamespace,
        @Means("What runs sessions: native (jobs on Spur's own nodes), or kubernetes")
                Backend backend,
        @Means("The directory with the console's files; empty: they are not served here")
                String consoleDir) {
    public static final ServerSection DEFAULTS =
            new ServerSection("127.0.0.1:8080", "spur-sessions", Backend.NATIVE, "");

    /// What runs sessions.
    public enum Backend {
        NATIVE,
        KUBERNETES;

        /// Also by the names that it had elsewhere.
        public static Backend parse(String word) {
            return switch (word) {
                case "native", "bare_metal" -> NATIVE;
                case "kubernetes", "k8s" -> KUBERNETES;
                default ->
                        throw new IllegalArgumentException(
                                "use native (also called bare_metal) or kubernetes (k8s), not \"%s\""
                                        .formatted(word));
            };
        }
    }
}
