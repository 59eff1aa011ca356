package dev.spur.testkit.simulated.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/// The view of a disk that [java.nio.file.Files] has.
final class DiskFileSystem extends FileSystem {
    private final SimulatedDisk disk;
    private final DiskProvider provider = new DiskProvider(this);

    DiskFileSystem(SimulatedDisk disk) {
        this.disk = disk;
    }

    SimulatedDisk disk() {
        return disk;
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("a disk stays");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new DiskStore(disk));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
        return new DiskPath(this, more.length == 0 ? first : first + "/" + String.join("/", more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        throw new UnsupportedOperationException("patterns on a simulated disk");
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException("owners on a simulated disk");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("watching a simulated disk");
    }
}
