package dev.spur.cli.srun;

import dev.spur.model.notation.HostAndPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;

/// The address by which the nodes know this host (`SLURM_LAUNCH_NODE_IPADDR`).
final class LaunchAddress {
    private static final int ANY_PORT = 6818;

    private LaunchAddress() {}

    /// Our own address on the way to an agent; empty when there is no way. Nothing is sent:
    /// connecting a datagram socket only asks the kernel for the route.
    static String towards(String agent) {
        try (var socket = new DatagramSocket()) {
            var peer = HostAndPort.parse(agent, ANY_PORT);
            socket.connect(new InetSocketAddress(peer.host(), peer.port()));
            return socket.getLocalAddress().getHostAddress();
        } catch (IOException | UncheckedIOException | IllegalArgumentException _) {
            return "";
        }
    }
}
