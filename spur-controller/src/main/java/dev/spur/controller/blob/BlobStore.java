package dev.spur.controller.blob;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
/// Written by the apply thread; read by everybody.
public final class BlobStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlobStore.class);
    private static final Pattern NAME = Pattern.compile("segment-(\\d{8})\\.blobs");
    private static final int MAGIC = 0x5350_5231; // SPR1
    private static final int HEADER = Integer.BYTES + Integer.BYTES + 32;
    private static final long SEGMENT_BYTES = 64L << 20;

    private final Path directory;
    private final Map<String, Location> index = new ConcurrentHashMap<>();
    private final Map<Integer, FileChannel> segments = new ConcurrentHashMap<>();
    private final AtomicLong puts = new AtomicLong();
    private int current; // the segment that grows
    private long end;

    /// @param lastPut when it was put last, counted in puts: what came after a mark is never
    ///   collected by it
    private record Location(int segment, long offset, int length, long lastPut) {
        Location putAgain(long at) {
            return new Location(segment, offset, length, at);
        }
    }

    private BlobStore(Path directory) {
        this.directory = directory;
    }

    public static BlobStore open(Path directory) throws IOException {
        Files.createDirectories(directory);
        var store = new BlobStore(directory);
        store.load();
        return store;
    }

    /// The name under which bytes are kept.
    public static String hashOf(byte[] bytes) {
        return HexFormat.of().formatHex(sha256(bytes));
    }

    public synchronized void put(String hash, byte[] bytes) {
        var at = puts.incrementAndGet();
        if (index.computeIfPresent(hash, (_, known) -> known.putAgain(at)) != null) {
            return;
        }
        try {
            append(hash, bytes, at);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "a job's script cannot be written to %s: free some space there"
                            .formatted(directory),
                    e);
        }
    }

    public Optional<byte[]> get(String hash) {
        var at = index.get(hash);
        if (at == null) {
            return Optional.empty();
        }
        var bytes = ByteBuffer.allocate(at.length());
        try {
            readFully(channel(at.segment()), bytes, at.offset());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "reading a job's script from " + fileOf(at.segment()), e);
        }
        if (!hashOf(bytes.array()).equals(hash)) {
            throw new IllegalStateException(
                    "the script or environment %s in %s is damaged"
                            .formatted(hash, fileOf(at.segment())));
        }
        return Optional.of(bytes.array());
    }

    public boolean contains(String hash) {
        return index.containsKey(hash);
    }

    /// Takes note of this moment, for [#collect].
    public long mark() {
        return puts.get();
    }

    /// Forgets what nobody refers to and what was not put after the mark; files without a living
    /// record go, those with few are rewritten.
    ///
    /// @param mark taken before the living were looked for
    public synchronized void collect(Set<String> living, long mark) throws IOException {
        index.entrySet()
                .removeIf(e -> e.getValue().lastPut() <= mark && !living.contains(e.getKey()));
        var used = new TreeMap<Integer, Long>();
        segments.keySet().forEach(segment -> used.put(segment, 0L));
        index.values()
                .forEach(at -> used.merge(at.segment(), (long) HEADER + at.length(), Long::sum));
        for (var segment : used.entrySet()) {
            if (segment.getKey() != current
                    && segment.getValue() * 3 < channel(segment.getKey()).size()) {
                moveLiving(segment.getKey());
            }
        }
    }

    /// Makes everything durable and links it into `target`; what is put from now on goes to a new
    /// file.
    public synchronized void linkInto(Path target) throws IOException {
        roll();
        for (var segment : segments.keySet()) {
            if (segment != current) {
                var link = target.resolve(fileOf(segment).getFileName());
                Files.deleteIfExists(link);
                Files.createLink(link, fileOf(segment));
            }
        }
    }

    /// Takes over files that a snapshot brought along: another controller's, under numbers of our
    /// own.
    public synchronized void adopt(Path source) throws IOException {
        if (!Files.isDirectory(source)) {
            return;
        }
        try (var files = Files.list(source)) {
            for (var file : files.sorted().toList()) {
                var own = directory.resolve(file.getFileName());
                if (NAME.matcher(file.getFileName().toString()).matches()
                        && !(Files.exists(own) && Files.isSameFile(own, file))) {
                    var number = segments.keySet().stream().max(Integer::compare).orElse(0) + 1;
                    Files.createLink(fileOf(number), file);
                    scan(number, false);
                }
            }
        }
        var last = segments.keySet().stream().max(Integer::compare).orElse(current);
        if (last != current) {
            channel(current).force(true);
            current = last + 1;
            end = 0;
            channel(current);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (var channel : segments.values()) {
            channel.close();
        }
    }

    private void load() throws IOException {
        var numbers = new TreeMap<Integer, Path>();
        try (var files = Files.list(directory)) {
            files.forEach(file -> {
                var name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    numbers.put(Integer.parseInt(name.group(1)), file);
                }
            });
        }
        for (var segment : numbers.keySet()) {
            // Only the last may have been growing when the process died.
            scan(segment, segment.equals(numbers.lastKey()));
        }
        current = numbers.isEmpty() ? 1 : numbers.lastKey();
        end = numbers.isEmpty() ? 0 : channel(current).size();
        channel(current);
    }

    private void scan(int segment, boolean mayBeTorn) throws IOException {
        var channel = channel(segment);
        var header = ByteBuffer.allocate(HEADER);
        long at = 0;
        while (at + HEADER <= channel.size()) {
            header.clear();
            readFully(channel, header, at);
            header.flip();
            var magic = header.getInt();
            var length = header.getInt();
            var hash = new byte[32];
            header.get(hash);
            var whole = magic == MAGIC && length >= 0 && at + HEADER + length <= channel.size();
            if (!whole || (mayBeTorn && !matches(channel, at + HEADER, length, hash))) {
                break;
            }
            index.put(
                    HexFormat.of().formatHex(hash),
                    new Location(segment, at + HEADER, length, puts.get()));
            at += HEADER + length;
        }
        if (at < channel.size()) {
            LOG.atWarn()
                    .addKeyValue("file", fileOf(segment))
                    .addKeyValue("bytes", channel.size() - at)
                    .log("cut off a torn end; the log has those scripts");
            channel.truncate(at);
        }
    }

    private static boolean matches(FileChannel channel, long at, int length, byte[] hash)
            throws IOException {
        var bytes = ByteBuffer.allocate(length);
        readFully(channel, bytes, at);
        return Arrays.equals(sha256(bytes.array()), hash);
    }

    private void append(String hash, byte[] bytes, long at) throws IOException {
        if (end + HEADER + bytes.length > SEGMENT_BYTES && end > 0) {
            roll();
        }
        var record = ByteBuffer.allocate(HEADER + bytes.length);
        record.putInt(MAGIC)
                .putInt(bytes.length)
                .put(HexFormat.of().parseHex(hash))
                .put(bytes)
                .flip();
        var channel = channel(current);
        var offset = end;
        while (record.hasRemaining()) {
            channel.write(record, offset + record.position());
        }
        end += record.limit();
        index.put(hash, new Location(current, offset + HEADER, bytes.length, at));
    }

    private void roll() throws IOException {
        if (end == 0) {
            return;
        }
        channel(current).force(true);
        current++;
        end = 0;
        channel(current);
        try (var folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private void moveLiving(int segment) throws IOException {
        for (var entry : Map.copyOf(index).entrySet()) {
            var at = entry.getValue();
            if (at.segment() == segment) {
                var bytes = get(entry.getKey()).orElseThrow();
                append(entry.getKey(), bytes, at.lastPut());
            }
        }
        channel(current).force(true);
        var old = segments.remove(segment);
        Files.deleteIfExists(fileOf(segment));
        if (old != null) {
            old.close();
        }
    }

    private FileChannel channel(int segment) throws IOException {
        var open = segments.get(segment);
        if (open == null) {
            open =
                    FileChannel.open(
                            fileOf(segment),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE);
            segments.put(segment, open);
        }
        return open;
    }

    private Path fileOf(int segment) {
        return directory.resolve("segment-%08d.blobs".formatted(segment));
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
