package dev.spur.controller.blob;

import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Append-only segment files of records: magic, length, SHA-256, bytes.
///
/// Nothing is forced to disk when it is put: until the next snapshot the log has the same bytes,
/// and putting them again while the log is replayed costs nothing. [#linkInto], which a snapshot
/// calls, forces everything first, so the log is purged only behind it. Afterwards a segment never
/// changes again, so a hard link to it is a copy.
///
/// What could not be forced once is never trusted again: the kernel takes those pages for written,
/// shows them to readers, and says yes the next time, also to another process. Its records are
/// written anew.
///
/// Written by the apply thread; read by everybody. Whoever collects or links waits for the disk
/// under a lock of its own: the apply thread never waits for them longer than for one record.
public final class BlobStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlobStore.class);
    private static final Pattern NAME = Pattern.compile("segment-([0-9]{8})\\.blobs");
    private static final int MAGIC = 0x5350_5231; // SPR1
    private static final int HEADER = Integer.BYTES + Integer.BYTES + 32;
    private static final long SEGMENT_BYTES = 64L << 20;
    private static final int MOST_TRIES = 5;

    private final Path directory;
    private final Disk disk;
    private final ConcurrentMap<String, Location> index = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, FileChannel> segments = new ConcurrentHashMap<>();

    /// Held by whoever changes the set of files; taken before the monitor of this store, which is
    /// held by whoever appends.
    private final ReentrantLock files = new ReentrantLock();

    private final Set<Integer> durable = new TreeSet<>(); // guarded by `files`

    /// Could not be forced, or may be what a process left that could not; guarded by `files`.
    private final Set<Integer> doubtful = new TreeSet<>();

    private int current; // the segment that grows
    private long end;
    private long puts;
    private volatile long published;
    private volatile boolean closed;

    /// @param lastPut when it was put last, counted in puts: what came after a mark is never
    ///   collected by it
    private record Location(int segment, long offset, int length, long lastPut) {
        Location putAgain(long at) {
            return new Location(segment, offset, length, at);
        }

        boolean isSamePlace(Location other) {
            return segment == other.segment && offset == other.offset;
        }
    }

    /// What may take long, and during which others go on.
    interface Disk {
        /// Makes the contents of a file durable.
        void force(FileChannel file) throws IOException;

        default void write(FileChannel file, ByteBuffer bytes, long at) throws IOException {
            while (bytes.hasRemaining()) {
                file.write(bytes, at + bytes.position());
            }
        }
    }

    private BlobStore(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    public static BlobStore open(Path directory) throws IOException {
        return open(directory, file -> file.force(true));
    }

    static BlobStore open(Path directory, Disk disk) throws IOException {
        SecretFiles.ownDirectory(directory);
        var store = new BlobStore(directory, disk);
        store.load();
        return store;
    }

    /// The name under which bytes are kept.
    public static String hashOf(byte[] bytes) {
        return HexFormat.of().formatHex(sha256(bytes));
    }

    public synchronized void put(String hash, byte[] bytes) {
        var at = ++puts;
        if (index.computeIfPresent(hash, (_, known) -> known.putAgain(at)) != null) {
            return;
        }
        try {
            index.put(hash, append(hash, bytes, at));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "a job's script cannot be written to %s: free some space there"
                            .formatted(directory),
                    e);
        }
    }

    public Optional<byte[]> get(String hash) {
        for (var tries = 1; ; tries++) {
            var at = index.get(hash);
            if (at == null) {
                return Optional.empty();
            }
            try {
                return Optional.of(read(hash, at));
            } catch (ClosedByInterruptException e) {
                throw unreadable(at, e);
            } catch (ClosedChannelException | NoSuchFileException e) {
                // Moved to another file meanwhile, or the file was closed because another reader
                // was interrupted.
                if (tries == MOST_TRIES) {
                    throw unreadable(at, e);
                }
            } catch (IOException e) {
                throw unreadable(at, e);
            }
        }
    }

    public boolean contains(String hash) {
        return index.containsKey(hash);
    }

    /// Whether somebody collects, links or adopts files: another who wants to has to wait.
    public boolean isChangingFiles() {
        return files.isLocked();
    }

    /// Takes note that whoever looks for the living from now on sees everything that was put.
    public synchronized void published() {
        published = puts;
    }

    /// What was put by now and can be seen by whoever looks for the living after this, for
    /// [#collect]. What is put but not yet published is behind the mark, so it stays.
    public long mark() {
        return published;
    }

    /// Forgets what nobody refers to and what was not put after the mark; files without a living
    /// record go, those with few are rewritten.
    ///
    /// @param mark taken before the living were looked for
    public void collect(Set<String> living, long mark) throws IOException {
        files.lock();
        try {
            index.entrySet()
                    .removeIf(e -> e.getValue().lastPut() <= mark && !living.contains(e.getKey()));
            var used = new TreeMap<Integer, Long>();
            sealed().forEach(segment -> used.put(segment, 0L));
            index.values()
                    .forEach(at ->
                            used.computeIfPresent(
                                    at.segment(), (_, sum) -> sum + HEADER + at.length()));
            for (var segment : used.entrySet()) {
                if (segment.getValue() * 3 < channel(segment.getKey()).size()
                        || segment.getValue() == 0) {
                    moveLiving(segment.getKey());
                }
            }
        } finally {
            files.unlock();
        }
    }

    /// Makes everything durable and links it into `target`; what is put from now on goes to a new
    /// file.
    public void linkInto(Path target) throws IOException {
        files.lock();
        try {
            seal();
            for (var segment : List.copyOf(doubtful)) {
                moveLiving(segment);
            }
            seal();
            for (var segment : sealed()) {
                makeDurable(segment);
                var link = target.resolve(fileOf(segment).getFileName());
                Files.deleteIfExists(link);
                Files.createLink(link, fileOf(segment));
            }
            syncDirectory();
        } finally {
            files.unlock();
        }
    }

    /// Takes over files that a snapshot brought along: another controller's, under numbers of our
    /// own.
    public void adopt(Path source) throws IOException {
        if (!Files.isDirectory(source)) {
            return;
        }
        files.lock();
        try (var brought = Files.list(source)) {
            for (var file : brought.sorted().toList()) {
                var own = directory.resolve(file.getFileName());
                if (NAME.matcher(file.getFileName().toString()).matches()
                        && !(Files.exists(own) && Files.isSameFile(own, file))) {
                    adoptFile(file);
                }
            }
            syncDirectory();
        } finally {
            files.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        files.lock();
        try {
            synchronized (this) {
                closed = true;
                for (var channel : segments.values()) {
                    channel.close();
                }
            }
        } finally {
            files.unlock();
        }
    }

    private void load() throws IOException {
        var numbers = new TreeSet<Integer>();
        try (var found = Files.list(directory)) {
            found.forEach(file -> {
                var name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    numbers.add(Integer.parseInt(name.group(1)));
                }
            });
        }
        for (var segment : numbers) {
            // What a snapshot has a link to was made durable before; any other may be torn.
            var links = (Integer) Files.getAttribute(fileOf(segment), "unix:nlink");
            scan(segment, links < 2);
            if (links >= 2) {
                durable.add(segment);
            } else if (channel(segment).size() > 0) {
                doubtful.add(segment);
            }
        }
        if (numbers.isEmpty() || channel(numbers.last()).size() > 0) {
            current = numbers.isEmpty() ? 1 : numbers.last() + 1;
            open(current, StandardOpenOption.CREATE_NEW);
        } else {
            current = numbers.last();
        }
    }

    private void adoptFile(Path file) throws IOException {
        int number;
        synchronized (this) {
            // Between the one that grew until now and the one that grows from now on.
            number = current + 1;
            Files.createLink(fileOf(number), file);
            open(number + 1, StandardOpenOption.CREATE_NEW);
            current = number + 1;
            end = 0;
            puts++; // not to be collected by a mark that was taken before
        }
        scan(number, false);
    }

    private void scan(int segment, boolean mayBeTorn) throws IOException {
        var channel = channel(segment);
        var size = channel.size();
        var header = ByteBuffer.allocate(HEADER);
        long at = 0;
        while (at + HEADER <= size) {
            header.clear();
            readFully(channel, header, at);
            header.flip();
            var magic = header.getInt();
            var length = header.getInt();
            var hash = new byte[32];
            header.get(hash);
            var whole = magic == MAGIC && length >= 0 && at + HEADER + length <= size;
            if (!whole || (mayBeTorn && !matches(channel, at + HEADER, length, hash))) {
                break;
            }
            index.put(
                    HexFormat.of().formatHex(hash),
                    new Location(segment, at + HEADER, length, putsSoFar()));
            at += HEADER + length;
        }
        if (at < size) {
            LOG.atWarn()
                    .addKeyValue("file", fileOf(segment))
                    .addKeyValue("bytes", size - at)
                    .log("cut off a torn end; the log has those scripts");
            channel.truncate(at);
        }
    }

    private synchronized long putsSoFar() {
        return puts;
    }

    private static boolean matches(FileChannel channel, long at, int length, byte[] hash)
            throws IOException {
        var bytes = ByteBuffer.allocate(length);
        readFully(channel, bytes, at);
        return Arrays.equals(sha256(bytes.array()), hash);
    }

    private byte[] read(String hash, Location at) throws IOException {
        var bytes = ByteBuffer.allocate(at.length());
        readFully(channel(at.segment()), bytes, at.offset());
        if (!hashOf(bytes.array()).equals(hash)) {
            throw new IllegalStateException(
                    "the script or environment %s in %s is damaged"
                            .formatted(hash, fileOf(at.segment())));
        }
        return bytes.array();
    }

    private UncheckedIOException unreadable(Location at, IOException cause) {
        return new UncheckedIOException(
                "reading a job's script from " + fileOf(at.segment()), cause);
    }

    private synchronized Location append(String hash, byte[] bytes, long at) throws IOException {
        if (end + HEADER + bytes.length > SEGMENT_BYTES) {
            seal();
        }
        var record = ByteBuffer.allocate(HEADER + bytes.length);
        record.putInt(MAGIC)
                .putInt(bytes.length)
                .put(HexFormat.of().parseHex(hash))
                .put(bytes)
                .flip();
        var offset = end;
        writeFully(record, offset);
        end += record.limit();
        return new Location(current, offset + HEADER, bytes.length, at);
    }

    /// The file is closed under us whenever a reader of it is interrupted: then the record is
    /// written again at the same place. As often as that takes, since whoever cannot apply an entry
    /// ends.
    private void writeFully(ByteBuffer record, long offset) throws IOException {
        while (true) {
            try {
                disk.write(channel(current), record, offset);
                return;
            } catch (ClosedByInterruptException e) {
                throw e; // this thread was meant
            } catch (ClosedChannelException e) {
                if (closed) {
                    throw e;
                }
                record.rewind();
            }
        }
    }

    /// What is put from now on goes to a new file.
    private synchronized void seal() throws IOException {
        if (end > 0) {
            open(current + 1, StandardOpenOption.CREATE_NEW);
            current++;
            end = 0;
        }
    }

    /// Segments that grow no more.
    private synchronized List<Integer> sealed() {
        return segments.keySet().stream().filter(segment -> segment != current).sorted().toList();
    }

    private void makeDurable(int segment) throws IOException {
        if (!durable.contains(segment)) {
            force(segment);
            durable.add(segment);
        }
    }

    private void force(int segment) throws IOException {
        try {
            disk.force(channel(segment));
        } catch (IOException e) {
            doubtful.add(segment);
            throw e;
        }
    }

    private void moveLiving(int segment) throws IOException {
        var into = new TreeSet<Integer>();
        for (var entry : Map.copyOf(index).entrySet()) {
            if (entry.getValue().segment() == segment) {
                into.add(move(entry.getKey(), entry.getValue()));
            }
        }
        for (var target : into) {
            force(target);
        }
        // Gone from the directory first: who finds no open file must not open this one again.
        Files.deleteIfExists(fileOf(segment));
        durable.remove(segment);
        doubtful.remove(segment);
        var old = segments.remove(segment);
        if (old != null) {
            old.close();
        }
    }

    /// @return the segment that it is in now
    private int move(String hash, Location from) throws IOException {
        var bytes = read(hash, from);
        var to = append(hash, bytes, from.lastPut());
        index.computeIfPresent(
                hash, (_, now) -> now.isSamePlace(from) ? to.putAgain(now.lastPut()) : now);
        return to.segment();
    }

    /// The open file. It was closed if a reader was interrupted; then it is opened again, unless it
    /// is gone.
    private FileChannel channel(int segment) throws IOException {
        var open = segments.get(segment);
        return open != null && open.isOpen() ? open : open(segment);
    }

    private FileChannel open(int segment, OpenOption... options) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        try {
            return Objects.requireNonNull(
                    segments.compute(
                            segment,
                            (_, known) ->
                                    known != null && known.isOpen()
                                            ? known
                                            : openFile(segment, options)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private FileChannel openFile(int segment, OpenOption... options) {
        var all = new ArrayList<>(List.of(options));
        all.add(StandardOpenOption.READ);
        all.add(StandardOpenOption.WRITE);
        try {
            return FileChannel.open(fileOf(segment), all.toArray(OpenOption[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void syncDirectory() throws IOException {
        try (var folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private Path fileOf(int segment) {
        return directory.resolve(String.format(Locale.ROOT, "segment-%08d.blobs", segment));
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long at)
            throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into, at + into.position()) < 0) {
                throw new IOException("the file ends too early");
            }
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
