package dev.spur.testkit.simulated.disk;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The disk of one machine.
///
/// Contents are durable once the file was forced. Names (what was created, linked, moved, removed)
/// are durable once the directory was; of the changes since, a power cut leaves the first few, in
/// the order in which they were made, as a journal does.
public final class SimulatedDisk {
    private final Random random;
    private final DiskFileSystem fileSystem = new DiskFileSystem(this);
    private final Map<String, Inode> durableNames = new TreeMap<>();
    private final List<Renaming> unforced = new ArrayList<>();
    private Map<String, Inode> names = new TreeMap<>();
    private long free = Long.MAX_VALUE;
    private boolean failsToSync;
    private Runnable meanwhile = () -> {};
    private boolean isMeanwhile;
    private Runnable use = () -> {};

    /// A change of one name in one directory; no inode: the name is gone.
    private record Renaming(String directory, String name, @Nullable Inode to) {}

    /// @param random decides what a power cut leaves
    public SimulatedDisk(Random random) {
        this.random = random;
        var root = Inode.directory();
        names.put("/", root);
        durableNames.put("/", root);
    }

    public Path root() {
        return new DiskPath(fileSystem, "/");
    }

    /// Everything that was not forced is lost, or torn.
    public void cutPower() {
        var left = unforced.isEmpty() ? 0 : random.nextInt(unforced.size() + 1);
        unforced.subList(0, left).forEach(this::makeDurable);
        unforced.clear();
        names = new TreeMap<>(durableNames);
        inodes().forEach(inode -> inode.losePower(random));
    }

    /// From now on only this much more can be written.
    public void leaveFree(long bytes) {
        free = bytes;
    }

    public void makeRoom() {
        free = Long.MAX_VALUE;
    }

    public boolean isFull() {
        return free <= 0;
    }

    /// Whether fsync fails from now on.
    public void failToSync(boolean fails) {
        failsToSync = fails;
    }

    public boolean failsToSync() {
        return failsToSync;
    }

    /// What happens while somebody reads a file: a disk takes its time, and others go on.
    ///
    /// @param what happens on the machine of this disk; what it reads itself is not interrupted
    public void whileReading(Runnable what) {
        meanwhile = what;
    }

    /// Told whenever somebody has to wait for this disk.
    public void atEachUse(Runnable what) {
        use = what;
    }

    long free() {
        return free;
    }

    void read() {
        use.run();
        if (!isMeanwhile) {
            isMeanwhile = true;
            try {
                meanwhile.run();
            } finally {
                isMeanwhile = false;
            }
        }
    }

    /// Each once, in an order that does not depend on where objects lie in memory.
    private Set<Inode> inodes() {
        return new LinkedHashSet<>(names.values());
    }

    // ---- what the file system asks ----

    @Nullable Inode find(String path) {
        return names.get(path);
    }

    Inode existing(String path) throws NoSuchFileException {
        var inode = names.get(path);
        if (inode == null) {
            throw new NoSuchFileException(path);
        }
        return inode;
    }

    /// How many names a file has.
    int names(Inode inode) {
        return (int) names.values().stream().filter(each -> each == inode).count();
    }

    Inode create(String path, Inode inode) throws IOException {
        if (names.containsKey(path)) {
            throw new FileAlreadyExistsException(path);
        }
        requireDirectory(parentOf(path));
        rename(path, inode);
        return inode;
    }

    void link(String path, Inode inode) throws IOException {
        create(path, inode);
    }

    void remove(String path) throws IOException {
        use.run();
        var inode = existing(path);
        if (inode.isDirectory() && !list(path).isEmpty()) {
            throw new DirectoryNotEmptyException(path);
        }
        rename(path, null);
    }

    /// Of files only: nothing here moves directories.
    void move(String from, String to, boolean replace) throws IOException {
        var inode = existing(from);
        if (inode.isDirectory()) {
            throw new UnsupportedOperationException("moving a directory");
        }
        if (!replace && names.containsKey(to)) {
            throw new FileAlreadyExistsException(to);
        }
        requireDirectory(parentOf(to));
        rename(to, inode);
        rename(from, null);
    }

    List<String> list(String directory) throws IOException {
        requireDirectory(directory);
        return names.keySet().stream()
                .filter(path -> !path.equals("/") && parentOf(path).equals(directory))
                .toList();
    }

    void take(long bytes) throws IOException {
        if (bytes > free) {
            free = 0;
            throw new IOException("No space left on device");
        }
        if (free != Long.MAX_VALUE) {
            free -= bytes;
        }
    }

    void sync(String path, Inode inode) throws IOException {
        use.run();
        if (failsToSync) {
            inode.syncFailed();
            throw new IOException("Input/output error");
        }
        if (inode.isDirectory()) {
            syncNames(path);
        } else {
            inode.sync();
        }
    }

    /// With those of the directory, all that were changed before.
    private void syncNames(String directory) {
        var last = -1;
        for (var i = 0; i < unforced.size(); i++) {
            if (unforced.get(i).directory().equals(directory)) {
                last = i;
            }
        }
        var done = unforced.subList(0, last + 1);
        done.forEach(this::makeDurable);
        done.clear();
    }

    private void rename(String path, @Nullable Inode to) {
        var change = new Renaming(parentOf(path), path, to);
        apply(change, names);
        unforced.add(change);
    }

    private void makeDurable(Renaming change) {
        apply(change, durableNames);
    }

    private static void apply(Renaming change, Map<String, Inode> to) {
        if (change.to() == null) {
            to.remove(change.name());
        } else {
            to.put(change.name(), change.to());
        }
    }

    private void requireDirectory(String path) throws IOException {
        if (!existing(path).isDirectory()) {
            throw new NotDirectoryException(path);
        }
    }

    private static String parentOf(String path) {
        var slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }
}
