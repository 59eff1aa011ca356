package dev.spur.cli;

import dev.spur.api.client.Channels;
import dev.spur.api.client.TransportSecurity;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterTrust;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// Channels to other clusters, without a certificate of this host. Callers choose the clusters, so
/// only the few that each of them used last stay open.
final class ForeignChannels {
    private static final int MOST_OF_ONE_USER = 4;
    private static final int MOST = 64;

    private record Cluster(long uid, X509Certificate authority, List<HostAndPort> controllers) {}

    private final SequencedMap<Cluster, Channels> open = new LinkedHashMap<>();

    synchronized Channels trusting(
            long uid, X509Certificate authority, List<HostAndPort> controllers) {
        var cluster = new Cluster(uid, authority, List.copyOf(controllers));
        var known = open.remove(cluster);
        var channels =
                known != null
                        ? known
                        : new Channels(new TransportSecurity.Tls(null, ClusterTrust.of(authority)));
        open.put(cluster, channels);
        var own = open.keySet().stream().filter(other -> other.uid() == uid).toList();
        if (own.size() > MOST_OF_ONE_USER) {
            close(own.getFirst());
        } else if (open.size() > MOST) {
            close(open.firstEntry().getKey());
        }
        return channels;
    }

    synchronized int open() {
        return open.size();
    }

    private void close(Cluster cluster) {
        var channels = open.remove(cluster);
        if (channels != null) {
            channels.close();
        }
    }
}
