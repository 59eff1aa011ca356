package dev.spur.cloud.config;

import dev.spur.runtime.config.Means;
import dev.spur.runtime.config.Rules;

/// `[apps]` in spur-cloud.toml: what listens at ports inside sessions, in the browser.
public record AppsSection(
        @Means("Whether ports of sessions can be opened in the browser") boolean enabled,
        @Means("Where they are served") String listen,
        @Means(
                        "Their address, before which SESSION--PORT. stands; empty: apps.localhost and the port of listen")
                String url) {
    public static final AppsSection DEFAULTS = new AppsSection(true, "127.0.0.1:8081", "");

    public AppsSection {
        new Rules()
                .require(
                        url.isEmpty() || CloudConfig.isWebAddress(url),
                        "url",
                        "must be a web address without a path, as in https://apps.gpu.example.com, was \"%s\"",
                        url)
                .check();
    }

    public AppsSection listeningAt(String address) {
        return new AppsSection(enabled, address, url);
    }
}
