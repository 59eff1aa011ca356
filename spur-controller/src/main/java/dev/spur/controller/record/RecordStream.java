package dev.spur.controller.record;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.StoredFile;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.accounting.SpoolReader;
import dev.spur.controller.blob.BlobStore;
import dev.spur.engine.state.RecordNumber;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the records behind some number to one accounting database, from the files, for as long as
/// it reads them.
final class RecordStream {
    private static final Logger LOG = LoggerFactory.getLogger(RecordStream.class);
    private static final int READ_AT_ONCE = 256 << 10;

    /// What a batch may have before nothing more is added to it.
    private static final int BATCH_BYTES = 512 << 10;

    /// Scripts and environments that are remembered as sent; sending one again does no harm. Not
    /// for long: the database may have purged them meanwhile, at the earliest after an hour.
    private static final int FILES_REMEMBERED = 20_000;

    private static final Duration REMEMBERED_FOR = Duration.ofMinutes(20);

    private final String name;
    private final String address;
    private final RecordNumber begin;
    private final SpoolReader reader;
    private final BlobStore blobs;
    private final RecordChannel channel;
    private final Executor executor;
    private final InstantSource clock;
    private final String cluster;
    private final Supplier<String> identity;
    private final Runnable whenGap;
    private final AtomicInteger wakes = new AtomicInteger();
    private volatile boolean isClosed;
    private volatile RecordNumber sent;
    private volatile RecordNumber acknowledged;

    // What follows belongs to the one task that sends.
    private final Queue<Record> read = new ArrayDeque<>();
    private final Map<ByteString, Boolean> sentFiles =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteString, Boolean> eldest) {
                    return size() > FILES_REMEMBERED;
                }
            };
    private Instant rememberedSince = Instant.EPOCH;
    private long waiting;
    private boolean gap;

    /// Who is at the other end.
    ///
    /// @param has the last record that it has
    record Peer(String name, String address, RecordNumber has) {}

    /// @param whenGap told when the spool begins behind what the database has
    RecordStream(
            Peer peer,
            String cluster,
            Supplier<String> identity,
            Spool spool,
            BlobStore blobs,
            RecordChannel channel,
            Executor executor,
            InstantSource clock,
            Runnable whenGap) {
        this.name = peer.name();
        this.address = peer.address();
        this.begin = peer.has();
        this.sent = peer.has();
        this.acknowledged = peer.has();
        this.cluster = cluster;
        this.identity = identity;
        this.reader = spool.readBehind(peer.has());
        this.blobs = blobs;
        this.channel = channel;
        this.executor = executor;
        this.clock = clock;
        this.whenGap = whenGap;
    }

    String name() {
        return name;
    }

    String address() {
        return address;
    }

    RecordNumber acknowledged() {
        return acknowledged;
    }

    /// It has stored everything up to this one.
    void acknowledge(RecordNumber number) {
        if (number.isAfter(sent)) {
            close(
                    new IllegalArgumentException(
                            "record %s was acknowledged, but only those up to %s were sent"
                                    .formatted(number, sent)));
        } else if (number.isAfter(acknowledged)) {
            acknowledged = number;
        }
    }

    /// There may be something to send, or somebody to read it.
    void wake() {
        if (!isClosed) {
            run();
        }
    }

    private void run() {
        if (wakes.getAndIncrement() == 0) {
            try {
                executor.execute(this::sendAll);
            } catch (RejectedExecutionException e) {
                isClosed = true; // the controller is stopping
            }
        }
    }

    void close(@Nullable Throwable failure) {
        if (!isClosed) {
            isClosed = true;
            channel.end(failure);
            run(); // what is open is closed by the task that reads
        }
    }

    private void sendAll() {
        int answered;
        do {
            answered = wakes.get();
            try {
                while (!isClosed && channel.isReady() && sendNext()) {
                    // until there is no more, or the other side has enough
                }
            } catch (IOException | RuntimeException e) {
                LOG.atError().setCause(e).log("accounting records could not be sent");
                close(e);
            }
        } while (wakes.addAndGet(-answered) != 0);
        if (isClosed) {
            closeReader();
        }
    }

    private void closeReader() {
        try {
            reader.close();
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("a file of records was not closed");
        }
    }

    private boolean sendNext() throws IOException {
        if (read.isEmpty()) {
            fill();
        }
        if (read.isEmpty()) {
            return false;
        }
        var batch =
                RecordBatch.newBuilder()
                        .setCluster(cluster)
                        .setIdentity(identity.get())
                        .setGap(gap)
                        .setNowMicros(InstantMapper.toMicros(clock.instant()));
        gap = false;
        var last = sent;
        var size = 0L;
        while (!read.isEmpty() && size < BATCH_BYTES) {
            var record = read.remove();
            size += record.getSerializedSize() + addFiles(record, batch);
            batch.addRecords(record);
            last = new RecordNumber(record.getEntry(), record.getOrdinal());
        }
        sent = last; // first: the answer may be faster than we are
        channel.send(batch.setWaiting(waiting + read.size()).build());
        return true;
    }

    private void fill() throws IOException {
        var batch = reader.next(READ_AT_ONCE);
        waiting = batch.waiting();
        if (batch.gap()) {
            gap = true;
            LOG.atError()
                    .addKeyValue("database", name)
                    .addKeyValue("had", begin)
                    .log(
                            "the accounting database lacks records that were acknowledged before and are gone: it was restored from a backup, or is another one. What is alive is recorded anew");
            whenGap.run();
        }
        for (var bytes : batch.records()) {
            read.add(parsed(bytes));
        }
    }

    private static Record parsed(byte[] bytes) {
        try {
            return Record.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a record in the spool cannot be read", e);
        }
    }

    /// @return how many bytes that makes
    private long addFiles(Record record, RecordBatch.Builder batch) {
        return record.hasJob()
                ? addFile(record.getJob().getScriptSha256(), batch)
                        + addFile(record.getJob().getEnvironmentSha256(), batch)
                : 0;
    }

    private long addFile(ByteString hash, RecordBatch.Builder batch) {
        if (rememberedSince.plus(REMEMBERED_FOR).isBefore(clock.instant())) {
            sentFiles.clear();
            rememberedSince = clock.instant();
        }
        if (hash.isEmpty() || sentFiles.put(hash, true) != null) {
            return 0;
        }
        var content = blobs.get(HexFormat.of().formatHex(hash.toByteArray()));
        content.ifPresent(bytes ->
                batch.addFiles(
                        StoredFile.newBuilder()
                                .setSha256(hash)
                                .setContent(ByteString.copyFrom(bytes))));
        return content.map(bytes -> bytes.length).orElse(0);
    }
}
