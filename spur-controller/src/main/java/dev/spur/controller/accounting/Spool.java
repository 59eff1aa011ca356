package dev.spur.controller.accounting;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.Record;
import dev.spur.engine.state.RecordNumber;
import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accounting records on disk until the database has them: files that each go on where the one
/// before ends ([SpoolSegment]).
///
/// Nothing is forced to disk when it is appended: until the next snapshot the log has what the
/// records were made of, and replaying it makes them again; those that are here already are skipped
/// by their number. [#linkInto], which a snapshot calls, forces everything first. Afterwards a file
/// never changes again, so a hard link to it is a copy.
///
/// What could not be forced once is never trusted again (see
/// [BlobStore][dev.spur.controller.blob.BlobStore]): it is written anew.
///
/// Appended to by the apply thread; read by everybody. Whoever links or adopts waits for the disk
/// under a lock of its own, and the apply thread never waits for them longer than for one append.
public final class Spool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
    private static final long SEGMENT_BYTES = 16L << 20;
    private static final int COPIED_AT_ONCE = 256 << 10;
    private static final int READ_AT_ONCE = 1 << 20;

    /// Of records that wait for the database. Their files are kept, however many, if it is more.
    private static final long MOST_LOOKED_THROUGH = 64L << 20;

    private final Path directory;
    private final Disk disk;

    /// Held by whoever changes the set of files; taken before the monitor, which is held by whoever
    /// appends.
    private final ReentrantLock files = new ReentrantLock();

    private final Set<Integer> durable = new HashSet<>(); // guarded by `files`
    private final Set<Integer> doubtful = new HashSet<>(); // guarded by `files`

    /// In order; the last one grows. Replaced as a whole under the monitor.
    private volatile List<SpoolSegment> segments = List.of();

    private @Nullable FileChannel growing; // of the last segment; guarded by the monitor

    /// What may take long, and during which others go on.
    interface Disk {
        /// Makes the contents of a file durable.
        void force(FileChannel file) throws IOException;
    }

    private Spool(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    public static Spool open(Path directory) throws IOException {
        return open(directory, file -> file.force(true));
    }

    static Spool open(Path directory, Disk disk) throws IOException {
        SecretFiles.ownDirectory(directory);
        var spool = new Spool(directory, disk);
        spool.load();
        return spool;
    }

    /// The newest record that is here, or was.
    public RecordNumber last() {
        return segments.getLast().last;
    }

    /// Whoever has this and everything before it misses nothing of what follows here.
    RecordNumber begin() {
        return segments.getFirst().after;
    }

    /// In order; the last one grows.
    List<SpoolSegment> segments() {
        return segments;
    }

    /// Bytes of records that the database has not said it has, to the nearest file.
    public long bytesBehind(RecordNumber stored) {
        return segments.stream()
                .filter(segment -> segment.last.isAfter(stored))
                .mapToLong(SpoolSegment::bytes)
                .sum();
    }

    /// Whether there are records that the database has not said it has.
    public boolean hasBehind(RecordNumber stored) {
        return last().isAfter(stored);
    }

    /// The scripts and environments, by their hashes, that records name which the database has not
    /// said it has. Missing if those are too many to look through: then nothing is known of any.
    public Optional<Set<String>> filesNamedBehind(RecordNumber stored) throws IOException {
        if (bytesBehind(stored) > MOST_LOOKED_THROUGH) {
            return Optional.empty();
        }
        var named = new HashSet<String>();
        forEachBehind(stored, record -> addFiles(record, named));
        return Optional.of(named);
    }

    /// All of them at once: for few.
    public List<Record> recordsBehind(RecordNumber seen) throws IOException {
        var records = new ArrayList<Record>();
        forEachBehind(seen, records::add);
        return records;
    }

    private void forEachBehind(RecordNumber seen, Consumer<Record> action) throws IOException {
        try (var reader = readBehind(seen)) {
            var batch = reader.next(READ_AT_ONCE);
            while (!batch.records().isEmpty()) {
                for (var bytes : batch.records()) {
                    action.accept(Record.parseFrom(bytes));
                }
                batch = reader.next(READ_AT_ONCE);
            }
        }
    }

    private static void addFiles(Record record, Set<String> named) {
        if (record.hasJob()) {
            addFile(record.getJob().getScriptSha256(), named);
            addFile(record.getJob().getEnvironmentSha256(), named);
        }
    }

    private static void addFile(ByteString hash, Set<String> named) {
        if (!hash.isEmpty()) {
            named.add(HexFormat.of().formatHex(hash.toByteArray()));
        }
    }

    /// Adds the records of one log entry, without those that are here already.
    ///
    /// @param records the first has ordinal 1
    void append(long entry, List<byte[]> records) {
        var last = last();
        var from =
                entry > last.entry() ? 0 : entry == last.entry() ? last.ordinal() : records.size();
        if (from >= records.size()) {
            return;
        }
        var size = 0;
        for (var record : records.subList(from, records.size())) {
            size = Math.addExact(size, SpoolSegment.FRAME + record.length);
        }
        var frames = ByteBuffer.allocate(size);
        for (var i = from; i < records.size(); i++) {
            SpoolSegment.put(frames, new RecordNumber(entry, i + 1), records.get(i));
        }
        try {
            write(frames.flip(), new RecordNumber(entry, records.size()), records.size() - from);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "accounting records cannot be written to %s: free some space there"
                            .formatted(directory),
                    e);
        }
    }

    private synchronized void write(ByteBuffer frames, RecordNumber last, int count)
            throws IOException {
        if (segments.getLast().end + frames.remaining() > SEGMENT_BYTES) {
            seal();
        }
        var segment = segments.getLast();
        var channel = growing == null || !growing.isOpen() ? reopen(segment) : growing;
        var at = segment.end;
        while (frames.hasRemaining()) {
            at += channel.write(frames, at);
        }
        segment.last = last;
        segment.records += count;
        segment.end = at;
    }

    private FileChannel reopen(SpoolSegment segment) throws IOException {
        var channel =
                FileChannel.open(segment.file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        growing = channel;
        return channel;
    }

    /// Reads what comes behind a record, and what is appended from then on.
    public SpoolReader readBehind(RecordNumber seen) {
        return new SpoolReader(this, seen);
    }

    /// The database has everything up to this record: files without any other go. The newest that
    /// grows no more stays, to say where the next snapshot begins.
    public void forget(RecordNumber stored) throws IOException {
        files.lock();
        try {
            var gone = new ArrayList<SpoolSegment>();
            synchronized (this) {
                var known = segments;
                while (known.size() - gone.size() > 2
                        && !known.get(gone.size()).last.isAfter(stored)) {
                    gone.add(known.get(gone.size()));
                }
                segments = List.copyOf(known.subList(gone.size(), known.size()));
            }
            for (var segment : gone) {
                Files.deleteIfExists(segment.file);
                durable.remove(segment.number);
                doubtful.remove(segment.number);
            }
        } finally {
            files.unlock();
        }
    }

    /// Makes everything durable and links it into `target`; what is appended from now on goes to a
    /// new file.
    public void linkInto(Path target) throws IOException {
        files.lock();
        try {
            synchronized (this) {
                if (segments.size() == 1 || !segments.getLast().isEmpty()) {
                    seal();
                }
            }
            for (var segment : sealed()) {
                makeDurable(segment);
                var link = target.resolve(segment.file.getFileName());
                Files.deleteIfExists(link);
                Files.createLink(link, segment.file);
            }
            syncDirectory();
        } finally {
            files.unlock();
        }
    }

    /// Takes over what a snapshot brought along if it knows of later records than this spool.
    public void adopt(Path source) throws IOException {
        var brought = Files.isDirectory(source) ? spoolFiles(source) : List.<Path>of();
        if (brought.isEmpty()) {
            return;
        }
        files.lock();
        try {
            var newest = scan(brought.getLast());
            if (newest == null || newest.file().end != Files.size(brought.getLast())) {
                throw new DamagedSpoolException(
                        brought.getLast(), "the records that came with a snapshot are not whole");
            }
            if (newest.file().last.isAfter(last())) {
                replaceBy(brought);
            }
        } finally {
            files.unlock();
        }
    }

    /// Ours go first: a crash in between leaves the beginning of theirs, and the snapshot, which is
    /// read again then, brings the rest.
    private void replaceBy(List<Path> brought) throws IOException {
        synchronized (this) {
            close();
            for (var segment : segments) {
                Files.deleteIfExists(segment.file);
            }
            durable.clear();
            doubtful.clear();
            for (var file : brought) {
                Files.createLink(directory.resolve(file.getFileName()), file);
            }
            syncDirectory();
            load();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (growing != null) {
            growing.close();
        }
    }

    private void load() throws IOException {
        var found = new ArrayList<SpoolSegment>();
        var torn = false;
        for (var file : spoolFiles(directory)) {
            // What a snapshot has a link to was made durable before; any other may be torn.
            var isForced = (Integer) Files.getAttribute(file, "unix:nlink") >= 2;
            var segment = torn ? null : readable(file, found, isForced);
            if (segment == null && isForced) {
                throw new DamagedSpoolException(
                        file, "records before it are missing, or it does not begin as it should");
            }
            if (segment == null) {
                LOG.atWarn().addKeyValue("file", file).log("a torn end; the log has its records");
                Files.delete(file);
                torn = true;
                continue;
            }
            torn = segment.end < Files.size(file);
            if (torn) {
                cut(segment, isForced);
            }
            found.add(segment);
            if (isForced) {
                durable.add(segment.number);
            } else {
                doubtful.add(segment.number);
            }
        }
        Files.deleteIfExists(copy());
        if (!found.isEmpty() && found.getLast().isEmpty() && !durable.contains(lastNumber(found))) {
            Files.delete(found.removeLast().file);
        }
        synchronized (this) {
            begin(found);
        }
    }

    private static int lastNumber(List<SpoolSegment> segments) {
        return segments.isEmpty() ? 0 : segments.getLast().number;
    }

    private static @Nullable SpoolSegment readable(
            Path file, List<SpoolSegment> before, boolean isForced) throws IOException {
        var scanned = scan(file);
        if (scanned == null
                || !before.isEmpty() && !before.getLast().last.equals(scanned.file().after)) {
            return null;
        }
        return isForced && !scanned.isAscending() ? null : scanned.file();
    }

    private static void cut(SpoolSegment segment, boolean isForced) throws IOException {
        if (isForced) {
            throw new DamagedSpoolException(
                    segment.file, "the record at byte %d is not whole".formatted(segment.end));
        }
        try (var channel = FileChannel.open(segment.file, StandardOpenOption.WRITE)) {
            LOG.atWarn()
                    .addKeyValue("file", segment.file)
                    .addKeyValue("bytes", channel.size() - segment.end)
                    .log("cut off a torn end; the log has those records");
            channel.truncate(segment.end);
        }
    }

    private record Scanned(SpoolSegment file, boolean isAscending) {}

    /// What a file holds up to where it is not whole; null if it does not even begin as it should.
    private static @Nullable Scanned scan(Path file) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            var header = ByteBuffer.allocate(SpoolSegment.HEADER);
            while (header.hasRemaining() && channel.read(header, header.position()) >= 0) {
                // until it is whole or the file ends
            }
            var after = SpoolSegment.after(header.flip());
            if (after == null) {
                return null;
            }
            var segment = new SpoolSegment(SpoolSegment.numberOf(file), file, after);
            var frames = new SpoolFrames(channel);
            var size = channel.size();
            for (var frame = frames.next(size); frame != null; frame = frames.next(size)) {
                if (!frame.number().isAfter(segment.last)) {
                    return new Scanned(segment, false);
                }
                segment.last = frame.number();
                segment.records++;
                segment.end = frames.position();
            }
            return new Scanned(segment, true);
        }
    }

    /// What is appended from now on goes to a new file. With the monitor held.
    private void seal() throws IOException {
        begin(segments);
    }

    /// Begins the file that grows, behind those that grow no more.
    private void begin(List<SpoolSegment> before) throws IOException {
        var number = lastNumber(before) + 1;
        var after = before.isEmpty() ? RecordNumber.NONE : before.getLast().last;
        var file = directory.resolve(String.format(Locale.ROOT, "records-%08d.spool", number));
        var channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        var header = SpoolSegment.header(after);
        while (header.hasRemaining()) {
            channel.write(header, header.position());
        }
        if (growing != null) {
            growing.close();
        }
        growing = channel;
        var more = new ArrayList<>(before);
        more.add(new SpoolSegment(number, file, after));
        segments = List.copyOf(more);
    }

    private List<SpoolSegment> sealed() {
        var known = segments;
        return known.subList(0, known.size() - 1);
    }

    private void makeDurable(SpoolSegment segment) throws IOException {
        if (durable.contains(segment.number)) {
            return;
        }
        if (doubtful.contains(segment.number)) {
            writeAnew(segment);
            doubtful.remove(segment.number);
        } else {
            try (var channel = FileChannel.open(segment.file, StandardOpenOption.WRITE)) {
                disk.force(channel);
            } catch (IOException e) {
                doubtful.add(segment.number);
                throw e;
            }
        }
        durable.add(segment.number);
    }

    private void writeAnew(SpoolSegment segment) throws IOException {
        try (var from = FileChannel.open(segment.file, StandardOpenOption.READ);
                var channel =
                        FileChannel.open(
                                copy(),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE)) {
            var piece = ByteBuffer.allocate(COPIED_AT_ONCE);
            for (var at = 0L; at < segment.end; ) {
                piece.clear().limit((int) Math.min(piece.capacity(), segment.end - at));
                if (from.read(piece, at) < 0) {
                    throw new IOException(segment.file + " ends too early");
                }
                piece.flip();
                while (piece.hasRemaining()) {
                    at += channel.write(piece, at);
                }
            }
            disk.force(channel);
        }
        Files.move(
                copy(),
                segment.file,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private Path copy() {
        return directory.resolve("copy.tmp");
    }

    private static List<Path> spoolFiles(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            return all.filter(file -> SpoolSegment.numberOf(file) >= 0)
                    .sorted(Comparator.comparingInt(SpoolSegment::numberOf))
                    .toList();
        }
    }

    private void syncDirectory() throws IOException {
        try (var folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
