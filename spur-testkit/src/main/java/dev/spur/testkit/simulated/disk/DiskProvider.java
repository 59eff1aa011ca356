package dev.spur.testkit.simulated.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Turns what [java.nio.file.Files] asks into what the disk can do. Everything belongs to one user,
/// who alone may see it.
final class DiskProvider extends FileSystemProvider {
    static final String SCHEME = "simulated";

    private final DiskFileSystem fileSystem;

    DiskProvider(DiskFileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        var disk = fileSystem.disk();
        var name = absolute(path);
        var inode = disk.find(name);
        if (inode == null) {
            if (!options.contains(StandardOpenOption.CREATE)
                    && !options.contains(StandardOpenOption.CREATE_NEW)) {
                throw new NoSuchFileException(name);
            }
            inode = disk.create(name, Inode.file());
        } else if (options.contains(StandardOpenOption.CREATE_NEW)) {
            throw new FileAlreadyExistsException(name);
        } else if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)
                && options.contains(StandardOpenOption.WRITE)) {
            inode.truncate(0);
        }
        return new DiskChannel(
                disk,
                name,
                inode,
                options.contains(StandardOpenOption.APPEND),
                options.contains(StandardOpenOption.SYNC)
                        || options.contains(StandardOpenOption.DSYNC));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        var found = fileSystem.disk().list(absolute(directory));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return found.stream()
                        .<Path>map(name -> new DiskPath(fileSystem, name))
                        .filter(path -> accepts(filter, path))
                        .iterator();
            }

            @Override
            public void close() {}
        };
    }

    private static boolean accepts(DirectoryStream.Filter<? super Path> filter, Path path) {
        try {
            return filter.accept(path);
        } catch (IOException e) {
            throw new DirectoryIteratorException(e);
        }
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        fileSystem.disk().create(absolute(directory), Inode.directory());
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        var disk = fileSystem.disk();
        disk.link(absolute(link), disk.existing(absolute(existing)));
    }

    @Override
    public void delete(Path path) throws IOException {
        fileSystem.disk().remove(absolute(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException("copying on a simulated disk");
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        var replace =
                Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING)
                        || Arrays.asList(options).contains(StandardCopyOption.ATOMIC_MOVE);
        fileSystem.disk().move(absolute(source), absolute(target), replace);
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        if (!(other instanceof DiskPath path) || path.disk() != fileSystem.disk()) {
            return false;
        }
        var disk = fileSystem.disk();
        return disk.existing(absolute(one)) == disk.existing(absolute(other));
    }

    @Override
    public boolean isHidden(Path path) {
        return false;
    }

    @Override
    public FileStore getFileStore(Path path) {
        return new DiskStore(fileSystem.disk());
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        fileSystem.disk().existing(absolute(path));
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        return type.cast(new DiskAttributes(fileSystem.disk().existing(absolute(path))));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
            throws IOException {
        var disk = fileSystem.disk();
        var inode = disk.existing(absolute(path));
        return switch (attributes) {
            case "unix:nlink" -> Map.of("nlink", disk.names(inode));
            // Everything belongs to whoever runs the simulation.
            case "unix:uid" -> Map.of("uid", Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
            default -> throw new UnsupportedOperationException("attributes " + attributes);
        };
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw new UnsupportedOperationException("attribute " + attribute);
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException("a disk is made by SimulatedDisk");
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
        return new DiskPath(fileSystem, uri.getPath());
    }

    private static String absolute(Path path) {
        return ((DiskPath) path).absolute();
    }
}
