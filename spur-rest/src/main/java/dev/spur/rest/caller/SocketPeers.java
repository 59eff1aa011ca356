package dev.spur.rest.caller;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Who is behind the connections by which the Unix socket is served: the kernel told when they
/// came.
public final class SocketPeers {
    private final Map<InetSocketAddress, Long> uids = new ConcurrentHashMap<>();

    /// @param end our end of the connection that stands for the one that came
    public void put(InetSocketAddress end, long uid) {
        uids.put(end, uid);
    }

    public void remove(InetSocketAddress end) {
        uids.remove(end);
    }

    Optional<Long> uid(Callers.Connection connection) {
        return Optional.ofNullable(uids.get(connection.client()));
    }
}
