package dev.spur.accounting;

import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.DatabaseCopy;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.PostgresException;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Flag;
import dev.spur.runtime.process.Flags;
import dev.spur.runtime.process.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/// `spurdbd export FILE` and `spurdbd import FILE`: all that accounting knows as one file, and
/// back. The backup, and the way to another database or to another major version of PostgreSQL.
final class DatabaseVerbs {
    private static final String EXPORT = "export";
    private static final String IMPORT = "import";
    private static final List<Flag> FLAGS =
            List.of(Flag.CONFIG, Spurdbd.DATABASE_URL, Flag.STATE_DIR, Flag.HELP);

    private final PrintStream out;
    private final PrintStream err;

    DatabaseVerbs(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    static boolean isOne(String... arguments) {
        return arguments.length > 0 && (arguments[0].equals(EXPORT) || arguments[0].equals(IMPORT));
    }

    /// @return the exit code
    int run(String... arguments) {
        var verb = arguments[0];
        try {
            var isFile = arguments.length > 1 && !arguments[1].startsWith("-");
            var rest = Arrays.copyOfRange(arguments, isFile ? 2 : 1, arguments.length);
            var flags = Flags.parse(FLAGS, rest);
            if (flags.has(Flag.HELP)) {
                out.print(Flags.usage("spurdbd %s FILE".formatted(verb), FLAGS));
                return 0;
            }
            if (!isFile) {
                throw new UsageException(
                        "name a file, as in: spurdbd %s accounting.gz".formatted(verb));
            }
            var file = Path.of(arguments[1]).toAbsolutePath();
            var rows = verb.equals(EXPORT) ? export(file, flags) : importFrom(file, flags);
            out.printf(
                    "%,d rows %s %s%n",
                    rows, verb.equals(EXPORT) ? "written to" : "read from", file);
            return 0;
        } catch (UsageException
                | ConfigException
                | PostgresException
                | UncheckedIOException
                | IllegalArgumentException
                | IllegalStateException e) {
            err.println("spurdbd: error: " + told(e));
            return 1;
        }
    }

    private static String told(RuntimeException e) {
        var cause = e.getCause();
        return cause == null || cause.getMessage() == null
                ? String.valueOf(e.getMessage())
                : "%s: %s".formatted(e.getMessage(), cause.getMessage());
    }

    /// A file that is there stays as it is; one that could not be finished goes.
    private static long export(Path file, Flags flags) {
        try (var channel =
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            try {
                var stream = packed(file, Channels.newOutputStream(channel));
                var rows =
                        with(
                                flags,
                                true,
                                from ->
                                        DatabaseCopy.exportTo(
                                                stream, from, AccountingDatabase.USE));
                if (stream instanceof GZIPOutputStream zipped) {
                    zipped.finish();
                }
                channel.force(true);
                return rows;
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(file);
                throw e;
            }
        } catch (FileAlreadyExistsException e) {
            throw new UsageException("%s is there already. Name another file".formatted(file));
        } catch (IOException e) {
            throw new UncheckedIOException("%s cannot be written".formatted(file), e);
        }
    }

    private static OutputStream packed(Path file, OutputStream out) throws IOException {
        return file.toString().endsWith(".gz") ? new GZIPOutputStream(out, 1 << 16) : out;
    }

    private static long importFrom(Path file, Flags flags) {
        try (var stream = unpacked(file)) {
            return with(
                    flags,
                    false,
                    to -> DatabaseCopy.importFrom(stream, to, AccountingDatabase.USE));
        } catch (NoSuchFileException e) {
            throw new UsageException("there is no file %s".formatted(file));
        } catch (IOException e) {
            throw new UncheckedIOException("%s cannot be read".formatted(file), e);
        }
    }

    private static InputStream unpacked(Path file) throws IOException {
        var in = Files.newInputStream(file);
        return file.toString().endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in;
    }

    /// The database that a daemon with these flags has. One of its own is used while the daemon
    /// runs if it is only read, and else started for this.
    private static long with(Flags flags, boolean onlyRead, ToLongFunction<DatabaseAddress> work) {
        var config = ConfigFile.load(Spurdbd.configFile(flags)).config();
        var url = Spurdbd.databaseUrl(flags, config);
        if (!url.isEmpty()) {
            return work.applyAsLong(DatabaseAddress.parse(url));
        }
        var state = Spurdbd.stateDirectory(flags);
        if (onlyRead && !Files.isDirectory(state)) {
            throw new UsageException(
                    "there is no %s. Name the daemon's --state-dir, or its --database-url"
                            .formatted(state));
        }
        var home = PostgresHome.prepare(Spurdbd.prepareState(state).resolve("postgres"));
        var running = onlyRead ? EmbeddedPostgres.running(home, Accounting.DATABASE) : null;
        if (running != null) {
            return work.applyAsLong(running);
        }
        try (var postgres = EmbeddedPostgres.open(home, List.of(Accounting.DATABASE))) {
            return work.applyAsLong(postgres.database(Accounting.DATABASE));
        }
    }
}
