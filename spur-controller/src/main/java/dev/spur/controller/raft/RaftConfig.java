package dev.spur.controller.raft;

import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Where the log lives and who else has a copy.
///
/// @param directory this controller's copy
/// @param self the own entry of `peers`
/// @param peers all controllers, the same list on each of them; one: nothing listens on the network
/// @param tls how controllers know each other; needed with more than one
public record RaftConfig(
        Path directory, Peer self, List<Peer> peers, @Nullable Tls tls, Limits limits) {
    public RaftConfig {
        peers = List.copyOf(peers);
        if (!peers.contains(self)) {
            throw new IllegalArgumentException(
                    "controller.peers does not contain this controller: " + self.address());
        }
        if (peers.size() > 1 && tls == null) {
            throw new IllegalArgumentException(
                    "controllers on several hosts need TLS between them");
        }
    }

    /// One controller alone.
    public static RaftConfig alone(Path directory, String clientAddress) {
        var self = new Peer("1", "127.0.0.1:6821", clientAddress);
        return new RaftConfig(directory, self, List.of(self), null, Limits.DEFAULTS);
    }

    /// One controller.
    ///
    /// @param address host:port of the raft service
    /// @param clientAddress host:port where clients are served: where a redirect sends them
    public record Peer(String id, String address, String clientAddress) {}

    /// The trust manager must accept controllers only: who may append to the log owns the cluster.
    public record Tls(X509KeyManager key, X509TrustManager trust) {}

    /// How much is held, and how often it is written down as a whole.
    ///
    /// @param waitingProposals beyond it the answer is *busy*
    /// @param entryBytes largest log entry; bounds one proposal as well
    /// @param snapshotEvery entries between two snapshots; fewer if they are large
    public record Limits(
            int waitingProposals, int entryBytes, long snapshotEvery, int segmentBytes) {
        public static final Limits DEFAULTS = new Limits(20_000, 10 << 20, 20_000, 8 << 20);
    }
}
