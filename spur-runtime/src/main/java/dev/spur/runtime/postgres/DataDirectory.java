package dev.spur.runtime.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// Makes and configures what PostgreSQL keeps its data in.
final class DataDirectory {
    /// Small: a few connections of one daemon, on machines whose memory is for others. What makes
    /// data safe stays on.
    private static final String SETTINGS =
            """
            # Written by Spur at each start. What you want otherwise goes into %1$s/local.conf.
            listen_addresses = ''
            unix_socket_directories = '%2$s'
            unix_socket_permissions = 0700
            max_connections = 50
            superuser_reserved_connections = 3
            authentication_timeout = 10s

            shared_buffers = 32MB
            work_mem = 4MB
            maintenance_work_mem = 32MB
            huge_pages = off
            jit = off
            io_method = sync
            max_worker_processes = 2
            max_parallel_workers = 0
            max_parallel_workers_per_gather = 0
            max_parallel_maintenance_workers = 0
            max_logical_replication_workers = 0
            autovacuum_max_workers = 1

            fsync = on
            synchronous_commit = on
            full_page_writes = on
            wal_level = minimal
            max_wal_senders = 0
            wal_buffers = 1MB
            min_wal_size = 32MB
            max_wal_size = 256MB

            password_encryption = scram-sha-256
            timezone = 'UTC'
            log_timezone = 'UTC'
            log_checkpoints = off
            log_line_prefix = '%%m [%%p] %%u@%%d '
            include_if_exists = '%1$s/local.conf'
            """;

    private static final String ACCESS =
            """
            # Written by Spur at each start: the socket only, in a directory that only the owner enters, and a password.
            local all all scram-sha-256
            """;

    private final PostgresHome home;

    DataDirectory(PostgresHome home) {
        this.home = home;
    }

    /// Makes the directory if it is not there; refuses one of another major version.
    void prepare(Path socketDirectory) {
        try {
            var version = home.data().resolve("PG_VERSION");
            if (Files.exists(version)) {
                requireOurVersion(Files.readString(version).strip());
            } else if (Files.exists(home.data())) {
                throw new PostgresException(
                        "%s is there, but is not a database. Move it away: a new one is made then"
                                .formatted(home.data()));
            } else {
                create();
            }
            write("postgresql.conf", SETTINGS.formatted(home.directory(), socketDirectory));
            write("pg_hba.conf", ACCESS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + home.data(), e);
        }
    }

    private void requireOurVersion(String version) {
        if (!version.equals(String.valueOf(home.binaries().major()))) {
            throw new PostgresException(
                    """
                    %1$s holds data of PostgreSQL %2$s, and this Spur brings PostgreSQL %3$s.
                    Take them along: with the former release, spurdbd export FILE; then mv %1$s %1$s.%2$s; then with this release, spurdbd import FILE\
                    """
                            .formatted(home.data(), version, home.binaries().version()));
        }
    }

    /// By initdb, in a directory beside the one that it becomes when it is whole.
    private void create() throws IOException {
        var scratch = home.directory().resolve("new");
        if (Files.exists(scratch)) {
            run(List.of("/bin/rm", "-rf", scratch.resolve("data").toString()), List.of());
        }
        home.subdirectory("new");
        var password = home.password(EmbeddedPostgres.SUPERUSER);
        if (!Files.exists(password)) {
            Passwords.create(home, EmbeddedPostgres.SUPERUSER);
        }
        run(
                List.of(
                        home.binaries().program("initdb").toString(),
                        "--pgdata=" + scratch.resolve("data"),
                        "--username=" + EmbeddedPostgres.SUPERUSER,
                        "--pwfile=" + password,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--no-instructions"),
                List.of("LD_PRELOAD=" + home.binaries().nameless()));
        Files.move(scratch.resolve("data"), home.data(), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(scratch);
    }

    private void run(List<String> program, List<String> environment) throws IOException {
        var command = new ArrayList<String>();
        command.addAll(List.of("/usr/bin/env"));
        command.addAll(environment);
        command.addAll(program);
        var process = Keeper.start(home, command, ProcessBuilder.Redirect.PIPE);
        var said =
                new String(
                        process.getInputStream().readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new PostgresException(
                        "the database could not be made in %s: %s"
                                .formatted(home.directory(), said.strip()));
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new PostgresException("interrupted while the database was made", e);
        }
    }

    private void write(String name, String content) throws IOException {
        var scratch = home.data().resolve(name + ".new");
        Files.writeString(scratch, content);
        home.give(scratch);
        Files.move(
                scratch,
                home.data().resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
