package dev.spur.dist;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.OptionalInt;

/// Which ports of loopback are free for a cluster.
final class FreePorts {
    private static final int STEP = 400; // beyond the controller's and a few hundred agents' ports
    private static final int TRIES = 50;

    private FreePorts() {}

    /// The base itself, or the next one from which every port of the layout is free.
    static int base(int wanted, Ports ports) throws IOException {
        for (var attempt = 0; attempt < TRIES; attempt++) {
            var base = wanted + attempt * STEP;
            if (firstTaken(ports.from(base)).isEmpty()) {
                return base;
            }
        }
        throw new IOException(
                "no range of free ports found from %d on. Choose one with --port-base"
                        .formatted(wanted));
    }

    /// A port that somebody listens on.
    static OptionalInt firstTaken(int... ports) {
        for (var port : ports) {
            try (var probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException e) {
                return OptionalInt.of(port);
            }
        }
        return OptionalInt.empty();
    }

    /// The ports that a cluster would use, counted from a base.
    interface Ports {
        int[] from(int base);
    }
}
