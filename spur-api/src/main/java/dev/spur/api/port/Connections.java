package dev.spur.api.port;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/// Who is connected. A connection is a stranger's until its certificate or a valid token says whose
/// it is. Strangers, and each user with a token, have a number of connections; when one more comes,
/// the oldest goes, of strangers that of the place from which most of them come: a handshake takes
/// milliseconds, so whoever is honest is known before its turn comes, and a flood takes the turns
/// of its own neighbours at most. Hosts of the cluster stay as long as they like.
public final class Connections {
    private static final String STRANGERS = "strangers from ";
    private static final String HOST = "host";

    private final int mostStrangers;
    private final int mostOfOneUser;
    private final Map<SocketAddress, Connection> open = new HashMap<>();
    private final Map<String, SequencedMap<SocketAddress, Connection>> limited = new HashMap<>();
    private int strangers;

    /// How a connection is ended, from any thread.
    @FunctionalInterface
    public interface HangUp {
        void close();
    }

    private static final class Connection {
        final HangUp hangUp;
        String owner;

        Connection(String owner, HangUp hangUp) {
            this.owner = owner;
            this.hangUp = hangUp;
        }

        boolean isStrangers() {
            return owner.startsWith(STRANGERS);
        }
    }

    public Connections() {
        this(1_024, 128);
    }

    public Connections(int mostStrangers, int mostOfOneUser) {
        this.mostStrangers = mostStrangers;
        this.mostOfOneUser = mostOfOneUser;
    }

    public void opened(SocketAddress from, HangUp hangUp) {
        var over = new ArrayList<Connection>();
        synchronized (this) {
            var connection = new Connection(STRANGERS + place(from), hangUp);
            open.put(from, connection);
            add(from, connection);
            if (strangers() > mostStrangers) {
                over.add(takeOldest(largestPlace()));
            }
        }
        over.forEach(connection -> connection.hangUp.close());
    }

    public synchronized void closed(SocketAddress from) {
        var connection = open.remove(from);
        if (connection != null) {
            remove(from, connection);
        }
    }

    /// It has a certificate of the cluster.
    public synchronized void isHost(SocketAddress from) {
        var connection = open.get(from);
        if (connection != null) {
            remove(from, connection);
            connection.owner = HOST;
        }
    }

    /// Somebody used it with a token.
    public void isUsedBy(SocketAddress from, int uid) {
        var owner = "uid " + uid;
        var over = new ArrayList<Connection>();
        synchronized (this) {
            var connection = open.get(from);
            if (connection == null || !connection.isStrangers()) {
                return;
            }
            remove(from, connection);
            connection.owner = owner;
            add(from, connection);
            if (ofOwner(owner).size() > mostOfOneUser) {
                over.add(takeOldest(ofOwner(owner)));
            }
        }
        over.forEach(connection -> connection.hangUp.close());
    }

    /// Ends the connection of a user or stranger. Those of hosts serve many and stay.
    public void hangUp(SocketAddress from) {
        Connection connection;
        synchronized (this) {
            connection = open.get(from);
        }
        if (connection != null && !connection.owner.equals(HOST)) {
            connection.hangUp.close();
        }
    }

    synchronized int strangers() {
        return strangers;
    }

    /// A whole network where an attacker has its addresses for nothing.
    private static String place(SocketAddress from) {
        if (!(from instanceof InetSocketAddress internet)) {
            return from.toString();
        }
        var address = internet.getAddress();
        return address.isLoopbackAddress()
                ? "this host"
                : address instanceof Inet6Address
                        ? HexFormat.of().formatHex(address.getAddress(), 0, 8)
                        : address.getHostAddress();
    }

    private SequencedMap<SocketAddress, Connection> largestPlace() {
        return limited.entrySet().stream()
                .filter(each -> each.getKey().startsWith(STRANGERS))
                .map(Map.Entry::getValue)
                .max(Comparator.comparingInt(Map::size))
                .orElseThrow();
    }

    private Connection takeOldest(SequencedMap<SocketAddress, Connection> all) {
        var oldest = all.firstEntry();
        open.remove(oldest.getKey());
        remove(oldest.getKey(), oldest.getValue());
        return oldest.getValue();
    }

    private SequencedMap<SocketAddress, Connection> ofOwner(String owner) {
        return limited.getOrDefault(owner, new LinkedHashMap<>());
    }

    private void add(SocketAddress from, Connection connection) {
        limited.computeIfAbsent(connection.owner, _ -> new LinkedHashMap<>()).put(from, connection);
        strangers += connection.isStrangers() ? 1 : 0;
    }

    private void remove(SocketAddress from, Connection connection) {
        var all = limited.get(connection.owner);
        if (all != null && all.remove(from) != null) {
            strangers -= connection.isStrangers() ? 1 : 0;
            if (all.isEmpty()) {
                limited.remove(connection.owner);
            }
        }
    }
}
