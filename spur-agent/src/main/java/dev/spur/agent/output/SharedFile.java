package dev.spur.agent.output;

import dev.spur.agent.step.FileReader;
import dev.spur.agent.step.FileReaders;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One file of one user, and the process that reads it for everybody who follows it. Those who are
/// at the same place get the same bytes, read once.
final class SharedFile implements FileReader.Listener {
    static final int BLOCK = 64 * 1024;

    /// Followers are at the end, and some a little behind.
    private static final int MOST_BLOCKS = 2;

    private static final int MOST_VERSIONS = 4;
    private static final Duration FIRST_WORD_WITHIN = Duration.ofSeconds(25);

    /// What was read there while the file was so long.
    private record Place(int version, long offset, long size) {}

    private record Version(int number, long identity) {}

    private final FileReader.UserFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Place, CompletableFuture<FileReader.Piece>> blocks = new LinkedHashMap<>();
    private final ArrayDeque<Version> versions = new ArrayDeque<>();
    private FileReader.@Nullable State state;
    private @Nullable String gone;
    private @Nullable FileReader reader;
    private int users; // guarded by SharedFiles

    SharedFile(FileReader.UserFile file) {
        this.file = file;
    }

    FileReader.UserFile file() {
        return file;
    }

    void join() {
        users++;
    }

    /// @return whether nobody uses it any more
    boolean leave() {
        return --users == 0;
    }

    boolean isUsable() {
        lock.lock();
        try {
            return gone == null;
        } finally {
            lock.unlock();
        }
    }

    /// Starts the process unless it runs.
    void open(FileReaders readers) throws IOException {
        lock.lock();
        try {
            if (reader == null && gone == null) {
                reader = readers.open(file, this);
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            if (reader != null) {
                reader.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void changed(FileReader.State now) {
        lock.lock();
        try {
            state = now;
            blocks.keySet()
                    .removeIf(place ->
                            place.version() == now.version() && place.size() != now.size());
            if (versions.isEmpty() || versions.getLast().number() != now.version()) {
                versions.addLast(new Version(now.version(), now.identity()));
            }
            if (versions.size() > MOST_VERSIONS) {
                versions.removeFirst();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void gone(String why) {
        lock.lock();
        try {
            gone = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// What the name leads to, when it is known.
    FileReader.State first() throws IOException, InterruptedException {
        lock.lock();
        try {
            var left = FIRST_WORD_WITHIN.toNanos();
            while (state == null && gone == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (state == null) {
                throw new IOException(gone == null ? "its file system does not answer" : gone);
            }
            return state;
        } finally {
            lock.unlock();
        }
    }

    /// Waits for something to be different from what was known, for so long at most.
    FileReader.State next(FileReader.State known, Duration most)
            throws IOException, InterruptedException {
        lock.lock();
        try {
            var left = most.toNanos();
            while (known.equals(state) && gone == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (gone != null) {
                throw new IOException(gone);
            }
            return state == null ? known : state;
        } finally {
            lock.unlock();
        }
    }

    /// The newest version that was this file, if it is known here.
    int versionOf(long identity) {
        lock.lock();
        try {
            return versions.reversed().stream()
                    .filter(version -> version.identity() == identity)
                    .mapToInt(Version::number)
                    .findFirst()
                    .orElse(0);
        } finally {
            lock.unlock();
        }
    }

    /// What stands there now; nothing at the end.
    FileReader.Piece read(int version, long offset) throws IOException, InterruptedException {
        try {
            return block(version, offset).get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw new IOException(
                    e.getCause() instanceof IOException known
                            ? known.getMessage()
                            : "its file system does not answer",
                    e);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException("its file system does not answer", e);
        }
    }

    private CompletableFuture<FileReader.Piece> block(int version, long offset) {
        lock.lock();
        try {
            var now = state;
            var current = reader;
            if (now == null || current == null) {
                return CompletableFuture.failedFuture(new IOException("it is not open"));
            }
            var place = new Place(version, offset, now.size());
            var known = blocks.get(place);
            if (known != null && !isWorthless(known)) {
                return known;
            }
            var fresh = current.read(version, offset, BLOCK);
            blocks.put(place, fresh);
            if (blocks.size() > MOST_BLOCKS) {
                blocks.remove(blocks.keySet().iterator().next());
            }
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /// That nothing was there says nothing about now.
    private static boolean isWorthless(CompletableFuture<FileReader.Piece> block) {
        return block.isCompletedExceptionally()
                || (block.isDone() && block.join().data().length == 0);
    }
}
