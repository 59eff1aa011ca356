package dev.spur.controller.member;

import dev.spur.controller.raft.RaftConfig;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ControllerConfig;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.IdentityException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides at a controller's start which one it is and with whom it has, or begins, the log.
///
/// | state directory | given | it |
/// |---|---|---|
/// | has a seat | anything | keeps it: what the log says of the members counts |
/// | began to join | anything | goes on joining |
/// | empty | a token | joins those that made the token |
/// | empty | no `peers`, or first of them | begins a log of its own; others join |
/// | empty | not the first of `peers` | is refused: it needs a token |
/// | has the authority of the cluster only | `peers` | begins the log together with them |
public final class Seats {
    private static final Logger LOG = LoggerFactory.getLogger(Seats.class);

    private final ControllerConfig config;
    private final HostAndPort listen;
    private final @Nullable HostAndPort replication;
    private final String name;
    private final Path stateDirectory;

    /// @param replication where to listen for other controllers; null: nobody said
    public Seats(
            ControllerConfig config,
            HostAndPort listen,
            @Nullable HostAndPort replication,
            String name,
            Path stateDirectory) {
        this.config = config;
        this.listen = listen;
        this.replication = replication;
        this.name = name;
        this.stateDirectory = stateDirectory;
    }

    public Seat take(@Nullable String token) {
        var raft = stateDirectory.resolve("raft");
        var known = Seat.load(raft);
        var isJoining = known.filter(seat -> seat.beginning() == Seat.Beginning.JOINING);
        if (known.isPresent() && isJoining.isEmpty()) {
            if (token != null) {
                LOG.atWarn().log("this controller has joined already: the token was not needed");
            }
            return known.get();
        }
        if (token != null) {
            return ControllerJoining.join(token, name, stateDirectory);
        }
        if (isJoining.isPresent()) {
            return ControllerJoining.goOn(isJoining.get(), stateDirectory);
        }
        var seat =
                ClusterCa.exists(stateDirectory) && isOneOfSeveral()
                        ? new Seat(self().id(), Seat.Beginning.TOGETHER, List.of())
                        : alone();
        seat.store(raft);
        return seat;
    }

    private Seat alone() {
        if (isOneOfSeveral() && number() > 1) {
            throw new IdentityException(
                    "this controller is number %d of controller.peers and has not joined the first yet. There: spur token join --role controller --host %s; then here: spurctld --token TOKEN"
                            .formatted(number(), name));
        }
        return new Seat(name, Seat.Beginning.ALONE, List.of());
    }

    /// This controller under the id of its seat, where it is reached now.
    public RaftConfig.Peer self(Seat seat) {
        return new RaftConfig.Peer(
                seat.id(), replicationAddress().toString(), reachable(listen).toString());
    }

    /// Those that begin the log together; empty if it is added to one that exists.
    public List<RaftConfig.Peer> founders(Seat seat) {
        return switch (seat.beginning()) {
            case ALONE -> List.of(self(seat));
            case ADDED, JOINING -> List.of();
            case TOGETHER -> {
                var founders = new ArrayList<>(named());
                founders.removeIf(founder -> founder.id().equals(seat.id()));
                founders.add(self(seat));
                yield founders;
            }
        };
    }

    /// Where to listen for other controllers; null: nowhere, since nobody said that there may be
    /// others.
    public @Nullable HostAndPort replicationListen(Seat seat) {
        if (replication != null) {
            return replication;
        }
        return switch (seat.beginning()) {
            case ALONE, TOGETHER -> isOneOfSeveral() ? replicationAddress() : null;
            case ADDED, JOINING ->
                    isOneOfSeveral()
                            ? replicationAddress()
                            : new HostAndPort(listen.host(), ControllerConfig.RAFT_PORT);
        };
    }

    private RaftConfig.Peer self() {
        return named().get(number() - 1);
    }

    /// The controllers of `peers`, with what `hosts` says of where they serve clients.
    private List<RaftConfig.Peer> named() {
        var peers = config.peers();
        var hosts = config.addresses();
        var distinct = peers.stream().map(HostAndPort::host).distinct().count() == peers.size();
        var named = new ArrayList<RaftConfig.Peer>();
        for (var i = 0; i < peers.size(); i++) {
            var peer = peers.get(i);
            var client =
                    hosts.size() == peers.size()
                            ? hosts.get(i)
                            : new HostAndPort(peer.host(), listen.port());
            var id = distinct ? peer.host() : peer.host() + "-" + peer.port();
            named.add(
                    new RaftConfig.Peer(id.replace(':', '_'), peer.toString(), client.toString()));
        }
        return named;
    }

    private boolean isOneOfSeveral() {
        return config.peers().size() > 1;
    }

    private int number() {
        return config.nodeId() == null ? 1 : config.nodeId();
    }

    private HostAndPort replicationAddress() {
        if (isOneOfSeveral()) {
            return config.peers().get(number() - 1);
        }
        return reachable(
                replication == null
                        ? new HostAndPort(listen.host(), ControllerConfig.RAFT_PORT)
                        : replication);
    }

    /// An address to connect to: whoever listens everywhere is reached by the host's name.
    private static HostAndPort reachable(HostAndPort listen) {
        var everywhere = listen.host().equals("::") || listen.host().equals("0.0.0.0");
        return everywhere ? new HostAndPort(ThisHost.fullName(), listen.port()) : listen;
    }
}
