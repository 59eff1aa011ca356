package dev.spur.cloud.ssh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The real programs: ssh, scp, sftp, rsync, with a key and a `known_hosts` of their own.
final class SshClients {
    private static final List<String> NEEDED =
            List.of("ssh", "scp", "sftp", "rsync", "ssh-keygen", "script");
    private static final long PATIENCE_SECONDS = 60;

    private final Path directory;
    private final int port;

    private SshClients(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    record Said(int code, String out, String error) {}

    static SshClients of(Path directory, int port, HostKey host) {
        for (var each : NEEDED) {
            if (Arrays.stream(System.getenv("PATH").split(":"))
                    .noneMatch(place -> Files.isExecutable(Path.of(place, each)))) {
                throw new IllegalStateException(
                        "the program %s is missing: dev/ssh-clients installs what these tests need"
                                .formatted(each));
            }
        }
        var clients = new SshClients(directory, port);
        try {
            Files.writeString(
                    directory.resolve("known_hosts"),
                    "[127.0.0.1]:%d %s\n".formatted(port, host.publicKey()));
            Files.writeString(
                    directory.resolve("config"),
                    """
                    Host *
                      Port %d
                      UserKnownHostsFile %s
                      StrictHostKeyChecking yes
                      IdentitiesOnly yes
                      IdentityFile %s
                      BatchMode yes
                      ConnectTimeout 20
                    """
                            .formatted(
                                    port,
                                    directory.resolve("known_hosts"),
                                    directory.resolve("key")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return clients;
    }

    /// A new key; its fingerprint.
    String newKey(String name, String type) {
        run("ssh-keygen", "-q", "-t", type, "-N", "", "-f", directory.resolve(name).toString());
        return run("ssh-keygen", "-lf", directory.resolve(name).toString()).out().split(" ")[1];
    }

    String publicKey(String name) {
        try {
            return Files.readString(directory.resolve(name + ".pub")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    Path config() {
        return directory.resolve("config");
    }

    Said ssh(String... words) {
        return run(withConfig("ssh", words));
    }

    String[] withConfig(String program, String... words) {
        var command = new ArrayList<>(List.of(program, "-F", config().toString()));
        command.addAll(List.of(words));
        return command.toArray(String[]::new);
    }

    Process start(String... command) {
        try {
            return new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Said run(String... command) {
        return finished(start(command), new byte[0]);
    }

    Said runWith(byte[] input, String... command) {
        return finished(start(command), input);
    }

    Said finished(Process process, byte[] input) {
        var out = CompletableFuture.supplyAsync(() -> all(process.getInputStream()));
        var error = CompletableFuture.supplyAsync(() -> all(process.getErrorStream()));
        try (var to = process.getOutputStream()) {
            to.write(input);
        } catch (IOException _) {
            // it reads no more
        }
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("still running; said " + error.join());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new Said(process.exitValue(), out.join(), error.join());
    }

    private static String all(java.io.InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
