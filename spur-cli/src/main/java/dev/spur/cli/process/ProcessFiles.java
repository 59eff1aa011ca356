package dev.spur.cli.process;

import dev.spur.cli.UserFileException;
import dev.spur.cli.UserFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/// Files opened by this process.
final class ProcessFiles implements UserFiles {
    private static final int EIO = 5;

    private final Path workingDirectory;

    ProcessFiles(Path workingDirectory) {
        this.workingDirectory = workingDirectory;
    }

    @Override
    public byte[] read(String path, int limit) throws IOException {
        try (var content = open(path)) {
            var bytes = content.readNBytes(limit);
            if (bytes.length == limit && content.read() >= 0) {
                throw new UserFileException(path, UserFileException.EFBIG, "File too large");
            }
            return bytes;
        }
    }

    @Override
    public InputStream open(String path) throws IOException {
        return trying(
                path,
                () -> {
                    var file = workingDirectory.resolve(path);
                    if (Files.isDirectory(file)) {
                        throw new UserFileException(
                                path, UserFileException.EISDIR, "Is a directory");
                    }
                    return Files.newInputStream(file);
                });
    }

    @Override
    public OutputStream write(String path, WriteMode mode) throws IOException {
        return trying(
                path,
                () ->
                        new BufferedOutputStream(
                                Files.newOutputStream(
                                        workingDirectory.resolve(path),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE,
                                        mode == WriteMode.APPEND
                                                ? StandardOpenOption.APPEND
                                                : StandardOpenOption.TRUNCATE_EXISTING)));
    }

    @Override
    public Status status(String path) throws IOException {
        return trying(
                path,
                () -> {
                    var file = workingDirectory.resolve(path);
                    return new Status(
                            attribute(file, "mode", Integer.class),
                            Integer.toUnsignedLong(attribute(file, "uid", Integer.class)),
                            Integer.toUnsignedLong(attribute(file, "gid", Integer.class)),
                            Files.size(file),
                            Files.getLastModifiedTime(file).toInstant().getEpochSecond());
                });
    }

    private static <T> T attribute(Path file, String name, Class<T> type) throws IOException {
        return type.cast(Objects.requireNonNull(Files.getAttribute(file, "unix:" + name)));
    }

    @FunctionalInterface
    private interface Attempt<T> {
        T run() throws IOException;
    }

    private static <T> T trying(String path, Attempt<T> attempt) throws IOException {
        try {
            return attempt.run();
        } catch (NoSuchFileException e) {
            throw new UserFileException(
                    path, UserFileException.ENOENT, "No such file or directory");
        } catch (AccessDeniedException e) {
            throw new UserFileException(path, UserFileException.EACCES, "Permission denied");
        } catch (FileSystemException e) {
            throw new UserFileException(
                    path, EIO, e.getReason() == null ? "Input/output error" : e.getReason());
        }
    }
}
