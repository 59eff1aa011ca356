package dev.spur.testkit.simulated.disk;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Absolute if it begins with a slash.
final class DiskPath implements Path {
    private final DiskFileSystem fileSystem;
    private final String text;

    DiskPath(DiskFileSystem fileSystem, String text) {
        this.fileSystem = fileSystem;
        this.text = text;
    }

    SimulatedDisk disk() {
        return fileSystem.disk();
    }

    String absolute() {
        return isAbsolute() ? text : text.isEmpty() ? "/" : "/" + text;
    }

    private List<String> names() {
        var names = new ArrayList<String>();
        for (var name : text.split("/", -1)) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    private DiskPath of(boolean absolute, List<String> names) {
        return new DiskPath(fileSystem, (absolute ? "/" : "") + String.join("/", names));
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return text.startsWith("/");
    }

    @Override
    public @Nullable Path getRoot() {
        return isAbsolute() ? new DiskPath(fileSystem, "/") : null;
    }

    @Override
    public @Nullable Path getFileName() {
        var names = names();
        return names.isEmpty() ? null : new DiskPath(fileSystem, names.getLast());
    }

    @Override
    public @Nullable Path getParent() {
        var names = names();
        if (names.isEmpty() || (names.size() == 1 && !isAbsolute())) {
            return null;
        }
        return of(isAbsolute(), names.subList(0, names.size() - 1));
    }

    @Override
    public int getNameCount() {
        return names().size();
    }

    @Override
    public Path getName(int index) {
        return new DiskPath(fileSystem, names().get(index));
    }

    @Override
    public Path subpath(int begin, int end) {
        return of(false, names().subList(begin, end));
    }

    @Override
    public boolean startsWith(Path other) {
        var names = names();
        var first = ((DiskPath) other).names();
        return isAbsolute() == other.isAbsolute()
                && first.size() <= names.size()
                && names.subList(0, first.size()).equals(first);
    }

    @Override
    public boolean endsWith(Path other) {
        var names = names();
        var last = ((DiskPath) other).names();
        return !other.isAbsolute()
                && last.size() <= names.size()
                && names.subList(names.size() - last.size(), names.size()).equals(last);
    }

    @Override
    public Path normalize() {
        return this;
    }

    @Override
    public Path resolve(Path other) {
        if (other.isAbsolute()) {
            return other;
        }
        var names = new ArrayList<>(names());
        names.addAll(((DiskPath) other).names());
        return of(isAbsolute(), names);
    }

    @Override
    public Path relativize(Path other) {
        if (!other.startsWith(this)) {
            throw new IllegalArgumentException("%s is not below %s".formatted(other, this));
        }
        var names = ((DiskPath) other).names();
        return of(false, names.subList(getNameCount(), names.size()));
    }

    @Override
    public URI toUri() {
        return URI.create(DiskProvider.SCHEME + "://" + absolute());
    }

    @Override
    public Path toAbsolutePath() {
        return new DiskPath(fileSystem, absolute());
    }

    @Override
    public Path toRealPath(LinkOption... options) {
        return toAbsolutePath();
    }

    @Override
    public WatchKey register(
            WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("watching a simulated disk");
    }

    @Override
    public int compareTo(Path other) {
        return text.compareTo(((DiskPath) other).text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DiskPath path
                && path.fileSystem == fileSystem
                && path.text.equals(text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
