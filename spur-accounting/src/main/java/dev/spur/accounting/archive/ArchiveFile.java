package dev.spur.accounting.archive;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/// A file of old records, compressed by gzip. It has its name when it is whole and on disk; nobody
/// but the daemon's user reads it.
final class ArchiveFile {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT);

    private ArchiveFile() {}

    @FunctionalInterface
    interface Body {
        /// @return how many records it was
        long write(OutputStream out) throws IOException;
    }

    static void requireDirectory(Path directory) {
        if (!directory.isAbsolute() || !Files.isDirectory(directory)) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "%s is not a directory of the host that runs spurdbd".formatted(directory));
        }
    }

    static Path named(Path directory, String what, OffsetDateTime before, String suffix) {
        return directory.resolve("%s_archive_%s.%s".formatted(what, TIME.format(before), suffix));
    }

    /// Makes none for nothing.
    ///
    /// @return how many records are in it
    static long write(Path file, Body body) {
        var unfinished = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(unfinished);
            long records;
            try (var channel =
                    FileChannel.open(
                            unfinished,
                            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")))) {
                var zipped =
                        new GZIPOutputStream(
                                new BufferedOutputStream(Channels.newOutputStream(channel)));
                records = body.write(zipped);
                zipped.finish();
                zipped.flush();
                channel.force(true);
            }
            if (records == 0) {
                Files.delete(unfinished);
            } else {
                Files.move(unfinished, file, ATOMIC_MOVE);
            }
            return records;
        } catch (IOException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "%s cannot be written: %s. Nothing was removed".formatted(file, e.getMessage()),
                    e);
        }
    }
}
