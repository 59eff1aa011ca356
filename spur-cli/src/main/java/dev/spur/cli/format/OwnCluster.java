package dev.spur.cli.format;

import dev.spur.cli.Failure;
import java.util.List;

/// `-M`: this release speaks to one cluster at a time.
public final class OwnCluster {
    private OwnCluster() {}

    /// Refuses every list of clusters but this one's name, or `all`.
    public static void require(String wanted, String own) {
        if (!List.of(own, "all").contains(wanted)) {
            throw new Failure(
                    ("'%s' can't be reached from here: this host belongs to the cluster %s. "
                                    + "To ask another one, point SPUR_CONTROLLER_ADDR to its controller.")
                            .formatted(wanted, own));
        }
    }
}
