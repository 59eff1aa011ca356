package dev.spur.controller;

import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import java.nio.file.Path;
import java.time.InstantSource;

/// Identities made on the controller's own machine, without a join token: for the controller
/// itself, and for whatever of the cluster runs beside it.
public final class LocalIdentities {
    private LocalIdentities() {}

    /// The identity in `directory`, made if there is none yet, and made again if it is about to
    /// expire or comes from another CA.
    public static HostIdentity openOrCreate(
            ClusterCa ca, Path directory, String host, HostRole role, InstantSource clock) {
        if (HostIdentity.exists(directory)) {
            var identity = HostIdentity.load(directory);
            if (identity.ca().equals(ca.certificate())
                    && !identity.isDueForRenewal(clock.instant())) {
                return identity;
            }
        }
        return ca.createIdentity(directory, host, role);
    }
}
