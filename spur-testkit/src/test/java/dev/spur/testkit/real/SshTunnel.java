package dev.spur.testkit.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// An `ssh -L` of a user whom only an sshd of the test's own knows.
final class SshTunnel implements AutoCloseable {
    static final int UID = 4723;

    private final Process server;
    private final Process client;
    private final int port;

    private SshTunnel(Process server, Process client, int port) {
        this.server = server;
        this.client = client;
        this.port = port;
    }

    /// @param target `http://HOST:PORT`
    static SshTunnel open(RealCluster cluster, String target) throws IOException {
        var keys = Files.createTempDirectory("sshd");
        run(cluster, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys + "/host");
        run(cluster, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys + "/user");
        run(cluster, "sh", "-c", "chmod 755 %s; chmod 644 %s/user.pub".formatted(keys, keys));
        var listen = RestIdentityTest.freePort();
        Files.writeString(config(keys), settings(keys, listen));
        var known = Files.readString(Path.of("/etc/passwd"));
        Files.writeString(
                keys.resolve("passwd"),
                known + "tunnel:x:%d:%d::/tmp:/bin/sh\n".formatted(UID, UID));
        run(cluster, "chmod", "644", keys + "/passwd");
        run(cluster, "mkdir", "-p", "/run/sshd");
        var server =
                cluster.start(
                        Map.of(),
                        List.of(
                                "unshare",
                                "-m",
                                "sh",
                                "-c",
                                "mount --bind %s /etc/passwd && exec /usr/sbin/sshd -D -f %s"
                                        .formatted(keys.resolve("passwd"), config(keys))));
        var port = RestIdentityTest.freePort();
        var client =
                cluster.start(
                        Map.of(),
                        List.of(
                                "ssh",
                                "-N",
                                "-L",
                                "127.0.0.1:" + port + ":" + target.replace("http://", ""),
                                "-p",
                                Integer.toString(listen),
                                "-i",
                                keys + "/user",
                                "-F",
                                "none",
                                "-o",
                                "StrictHostKeyChecking=no",
                                "-o",
                                "UserKnownHostsFile=/dev/null",
                                "-o",
                                "ConnectionAttempts=20",
                                "tunnel@127.0.0.1"));
        var tunnel = new SshTunnel(server, client, port);
        Eventually.until(
                () ->
                        cluster.run("curl", "-sS", "-o", "/dev/null", tunnel.address()).exitCode()
                                == 0,
                () -> "the tunnel does not open");
        return tunnel;
    }

    private static Path config(Path keys) {
        return keys.resolve("config");
    }

    private static String settings(Path keys, int port) {
        return """
        ListenAddress 127.0.0.1
        Port %d
        HostKey %s/host
        AuthorizedKeysFile %s/user.pub
        StrictModes no
        UsePAM no
        PidFile none
        """
                .formatted(port, keys, keys);
    }

    private static void run(RealCluster cluster, String... command) {
        var ran = cluster.run(command);
        if (ran.exitCode() != 0) {
            throw new IllegalStateException(ran.err());
        }
    }

    String address() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        client.destroy();
        server.destroy();
    }
}
