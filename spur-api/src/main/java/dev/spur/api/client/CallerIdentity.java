package dev.spur.api.client;

import java.util.List;

/// On whose behalf a call is made.
public sealed interface CallerIdentity {
    /// A local user, vouched for by this host's certificate. The controller checks that the host
    /// may.
    record Vouched(int uid, int gid, String user, List<Integer> groups) implements CallerIdentity {
        public Vouched {
            groups = List.copyOf(groups);
        }
    }

    /// Whoever the token says; the channel needs no host certificate.
    record Bearer(String token) implements CallerIdentity {
        @Override
        public String toString() {
            return "Bearer[…]";
        }
    }

    /// The host itself, by its certificate alone (agents, renewals).
    record Host() implements CallerIdentity {}
}
