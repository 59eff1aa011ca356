package dev.spur.runtime.config;

import java.util.List;

/// `[federation]` in spur.conf.
public record FederationConfig(@Key(live = true, notYetUsed = true) List<Member> clusters) {
    public static final FederationConfig DEFAULTS = new FederationConfig(List.of());

    public FederationConfig {
        clusters = List.copyOf(clusters);
    }

    /// One `[[federation.clusters]]` entry.
    public record Member(
            @Means("The other cluster's name") @Key(required = true) String name,
            @Means("Its controller") @Key(required = true) String address) {
        public static final Member DEFAULTS = new Member("", "");
    }
}
