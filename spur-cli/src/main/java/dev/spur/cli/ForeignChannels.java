package dev.spur.cli;

import dev.spur.api.client.Channels;
import dev.spur.api.client.TransportSecurity;
import dev.spur.runtime.identity.ClusterTrust;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.Map;

/// Channels to other clusters, without a certificate of this host. Callers choose the clusters, so
/// only the few used last stay open.
final class ForeignChannels {
    private static final int MOST = 16;

    private final Map<X509Certificate, Channels> byAuthority =
            new LinkedHashMap<>(MOST, 0.75f, true);

    synchronized Channels trusting(X509Certificate authority) {
        var channels =
                byAuthority.computeIfAbsent(
                        authority,
                        ca -> new Channels(new TransportSecurity.Tls(null, ClusterTrust.of(ca))));
        if (byAuthority.size() > MOST) {
            var oldest = byAuthority.entrySet().iterator().next();
            byAuthority.remove(oldest.getKey());
            oldest.getValue().close();
        }
        return channels;
    }
}
