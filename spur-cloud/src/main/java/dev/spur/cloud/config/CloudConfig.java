package dev.spur.cloud.config;

import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;
import dev.spur.runtime.config.TomlFile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// All of spur-cloud.toml.
public record CloudConfig(
        @Means("Where people reach the console and the API, as in https://gpu.example.com")
                String publicUrl,
        DatabaseSection database,
        SpurSection spur,
        AuthSection auth,
        ServerSection server,
        BareMetalSection bareMetal,
        SessionsSection sessions,
        BillingSection billing,
        UpdateSection update,
        SshSection ssh,
        AppsSection apps) {

    public static final CloudConfig DEFAULTS =
            new CloudConfig(
                    "http://localhost:8080",
                    DatabaseSection.DEFAULTS,
                    SpurSection.DEFAULTS,
                    AuthSection.DEFAULTS,
                    ServerSection.DEFAULTS,
                    BareMetalSection.DEFAULTS,
                    SessionsSection.DEFAULTS,
                    BillingSection.DEFAULTS,
                    UpdateSection.DEFAULTS,
                    SshSection.DEFAULTS,
                    AppsSection.DEFAULTS);

    public CloudConfig {
        new Rules()
                .require(
                        isWebAddress(publicUrl),
                        "public_url",
                        "must be a web address without a path, as in https://gpu.example.com, was \"%s\"",
                        publicUrl)
                .check();
        publicUrl =
                publicUrl.endsWith("/")
                        ? publicUrl.substring(0, publicUrl.length() - 1)
                        : publicUrl;
    }

    /// Reads the file; variables `SPUR_CLOUD_…` win over it.
    public static TomlFile<CloudConfig> load(Path file, Map<String, String> environment) {
        var loaded = TomlFile.load(file, CloudConfig.class, DEFAULTS, "SPUR_CLOUD", environment);
        loaded.config().requireSoundSecret();
        return loaded;
    }

    /// A secret that somebody could guess is no secret. With a database of its own the daemon makes
    /// one and keeps it there; who has a database elsewhere may run several of these daemons, which
    /// must all have the same.
    private void requireSoundSecret() {
        if (!database.url().isEmpty() && !auth.hasSoundSecret()) {
            throw new ConfigException(
                    List.of(
                            "auth.jwt_secret is missing, shorter than 32 characters or the one of the example. "
                                    + "Make one with: openssl rand -hex 32"));
        }
    }

    /// Whether browsers come by TLS, so that cookies are sent by it only.
    public boolean isSecure() {
        return publicUrl.startsWith("https://");
    }

    static boolean isWebAddress(String text) {
        try {
            var uri = URI.create(text);
            return uri.getHost() != null
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && (uri.getPath().isEmpty() || uri.getPath().equals("/"))
                    && uri.getQuery() == null;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
