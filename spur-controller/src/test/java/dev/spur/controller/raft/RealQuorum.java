package dev.spur.controller.raft;

import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Controllers' logs, each with its own certificate, over real sockets; they can be stopped and
/// started again.
final class RealQuorum<C, R> implements AutoCloseable {
    private final Path directory;
    private final EntryCodec<C> codec;
    private final Replicas<C, R> replicas;
    private final List<RaftConfig> configs = new ArrayList<>();
    private final List<@Nullable RatisLog<C, R>> logs = new ArrayList<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    /// Makes a new replica each time that a controller starts.
    interface Replicas<C, R> {
        Replica<C, R> make(int number) throws IOException;
    }

    RealQuorum(
            Path directory,
            int count,
            RaftConfig.Limits limits,
            EntryCodec<C> codec,
            Replicas<C, R> replicas)
            throws IOException {
        this.directory = directory;
        this.codec = codec;
        this.replicas = replicas;
        var ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.system());
        var peers = new ArrayList<RaftConfig.Peer>();
        for (var port : freePorts(count)) {
            var number = peers.size() + 1;
            peers.add(
                    new RaftConfig.Peer(
                            "" + number, "127.0.0.1:" + port, "ctl" + number + ":6817"));
        }
        for (var peer : peers) {
            var identity =
                    ca.createIdentity(
                            directory.resolve("identity" + peer.id()),
                            "ctl" + peer.id(),
                            HostRole.CONTROLLER);
            var tls =
                    new RaftConfig.Tls(
                            HostAndPort.parse(peer.address()),
                            identity.keyManager(),
                            new ControllersOnly(identity.trustManager(), _ -> false));
            configs.add(
                    new RaftConfig(
                            directory.resolve("raft" + peer.id()), peer, peers, tls, limits));
            logs.add(null);
        }
        for (var i = 0; i < count; i++) {
            start(i);
        }
    }

    void start(int number) throws IOException {
        logs.set(
                number,
                RatisLog.open(configs.get(number), codec, replicas.make(number), failures::add));
    }

    void stop(int number) {
        var log = logs.set(number, null);
        if (log != null) {
            log.close();
        }
    }

    RatisLog<C, R> log(int number) {
        return Objects.requireNonNull(logs.get(number), "it was stopped");
    }

    /// What the logs said when they could not go on.
    List<String> failures() {
        return failures;
    }

    /// Where a controller keeps its log.
    Path directoryOf(int number) {
        return directory.resolve("raft" + (number + 1));
    }

    /// The first one of those that it still has.
    long firstEntryOf(int number) throws IOException {
        return segments(number).stream().mapToLong(name -> numberIn(name, 0)).min().orElse(0);
    }

    /// At least: the end of the segment that grows is not in its name.
    long lastEntryOf(int number) throws IOException {
        return segments(number).stream().mapToLong(name -> numberIn(name, 1)).max().orElse(0);
    }

    /// By name alone: segments go while this looks.
    private List<String> segments(int number) throws IOException {
        var current = RatisLog.storage(directoryOf(number)).resolve("current");
        try (var files = Files.list(current)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("log_(inprogress_)?[0-9]+(-[0-9]+)?"))
                    .toList();
        }
    }

    private static long numberIn(String name, int which) {
        var numbers = name.replaceAll("[a-z_]", "").split("-", -1);
        return Long.parseLong(numbers[Math.min(which, numbers.length - 1)]);
    }

    /// Waits until one of those that run says that it leads.
    int leader() throws Exception {
        var leader = new CompletableFuture<Integer>();
        for (var i = 0; i < logs.size(); i++) {
            var number = i;
            var log = logs.get(i);
            if (log != null) {
                log.whileLeading(_ -> {
                    leader.complete(number);
                    return () -> {};
                });
            }
        }
        return leader.get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        for (var i = 0; i < logs.size(); i++) {
            stop(i);
        }
    }

    private static List<Integer> freePorts(int count) throws IOException {
        var sockets = new ServerSocket[count];
        try {
            for (var i = 0; i < count; i++) {
                sockets[i] = new ServerSocket(0);
            }
            return Arrays.stream(sockets).map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }
}
