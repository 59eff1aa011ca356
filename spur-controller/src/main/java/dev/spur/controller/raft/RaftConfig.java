package dev.spur.controller.raft;

import dev.spur.model.notation.HostAndPort;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Where the log lives and with whom it began. Who has a copy of it now is in the log itself
/// ([Membership]).
///
/// @param directory this controller's copy
/// @param self this controller as the others know it
/// @param peers the controllers that begin the log together, the same list on each of them; empty
///   for one that is added to a log which others began
/// @param tls how controllers reach and know each other; null: nothing listens on the network, and
///   no controller can be added
public record RaftConfig(
        Path directory, Peer self, List<Peer> peers, @Nullable Tls tls, Limits limits) {
    public RaftConfig {
        peers = List.copyOf(peers);
        if (!peers.isEmpty() && !peers.contains(self)) {
            throw new IllegalArgumentException(
                    "controller.peers does not contain this controller: " + self.address());
        }
        if (peers.size() != 1 && tls == null) {
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
    /// @param id never used for another controller nor for another address: the name, and behind a
    ///   tilde what tells this membership from former ones of that name
    /// @param address host:port of the raft service
    /// @param clientAddress host:port where clients are served: where a redirect sends them
    public record Peer(String id, String address, String clientAddress) {
        private static final char SERIAL = '~';

        /// The controller `name` as it is added now.
        ///
        /// @param serial larger than for every membership before
        public static String idOf(String name, long serial) {
            return name + SERIAL + serial;
        }

        public static String nameOf(String id) {
            var end = id.lastIndexOf(SERIAL);
            return end < 0 ? id : id.substring(0, end);
        }

        /// What people call it.
        public String name() {
            return nameOf(id);
        }
    }

    /// The trust manager must accept controllers only: who may append to the log owns the cluster.
    ///
    /// @param listen where the raft service listens
    public record Tls(HostAndPort listen, X509KeyManager key, X509TrustManager trust) {}

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
