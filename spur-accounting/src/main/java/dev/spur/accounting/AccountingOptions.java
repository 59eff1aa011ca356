package dev.spur.accounting;

import dev.spur.accounting.archive.Retention;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostIdentity;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the accounting daemon needs to know beside its database.
///
/// @param controllers whom to follow, in the order of trying
/// @param cluster whose records they are, as far as this host's configuration says
/// @param listen where questions come to; port 0 takes any
/// @param address the host name by which others reach it
/// @param name of this host
/// @param identity this host's certificate; null without TLS
record AccountingOptions(
        List<HostAndPort> controllers,
        @Nullable String cluster,
        HostAndPort listen,
        String address,
        String name,
        @Nullable HostIdentity identity,
        Retention retention,
        InstantSource clock) {
    AccountingOptions {
        controllers = List.copyOf(controllers);
    }
}
