package dev.spur.agent.step;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/// A small process with a user's rights that follows one file by its name
/// (`native/step/filereader.c`). It ends when this is closed.
public final class FileReader implements AutoCloseable {
    /// The process gives a file system up after 20 s, and itself with it.
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(25);

    private static final int REQUEST_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;

    /// Whose rights count, and which file it is.
    ///
    /// @param path absolute
    public record UserFile(int uid, int gid, List<Integer> groups, String path) {
        public UserFile {
            groups = List.copyOf(groups);
        }

        private byte[] toBytes() {
            var name = path.getBytes(StandardCharsets.UTF_8);
            var bytes =
                    ByteBuffer.allocate((3 + groups.size()) * Integer.BYTES + name.length)
                            .putInt(uid)
                            .putInt(gid)
                            .putInt(groups.size());
            groups.forEach(bytes::putInt);
            return bytes.put(name).array();
        }
    }

    /// What the name leads to now.
    ///
    /// @param version counts up whenever another file has the name, or the file was emptied; 0:
    ///   there was none yet
    /// @param identity of the file, also for another reader
    /// @param error why there is none, as errno says it
    public record State(int version, long identity, long size, int error) {}

    /// What was read.
    ///
    /// @param version the one asked for, or a later one if that is forgotten
    /// @param over nothing will be added to this version any more
    public record Piece(
            int version,
            long identity,
            long offset,
            boolean over,
            boolean emptied,
            int error,
            byte[] data) {}

    /// Called by one thread.
    public interface Listener {
        void changed(State state);

        /// The process has gone: the file system hung, or there are too many of them.
        void gone(String why);
    }

    private final FrameConnection connection;
    private final Listener listener;
    private final Queue<CompletableFuture<Piece>> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean silent;

    private FileReader(FrameConnection connection, Listener listener) {
        this.connection = connection;
        this.listener = listener;
    }

    static FileReader open(Zygote zygote, UserFile file, Listener listener) throws IOException {
        var connection = zygote.connect();
        try {
            connection.send('F', file.toBytes());
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
        var reader = new FileReader(connection, listener);
        Thread.ofVirtual().name("file-reader").start(reader::listen);
        return reader;
    }

    private void listen() {
        var why = "its reader ended; perhaps the file system does not answer";
        try {
            while (true) {
                var frame = connection.receive();
                var payload = frame.payload();
                switch (frame.type()) {
                    case 'n' -> listener.changed(state(payload));
                    case 'g' -> {
                        var waiting = asked.poll();
                        if (waiting != null) {
                            waiting.complete(piece(payload));
                        }
                    }
                    case 'N' -> why = StandardCharsets.UTF_8.decode(payload).toString();
                    default -> {} // of a newer reader
                }
            }
        } catch (IOException _) {
            silent = true;
            refuse(why);
            listener.gone(why);
        } finally {
            connection.close();
        }
    }

    private static State state(ByteBuffer payload) {
        return new State(payload.getInt(), payload.getLong(), payload.getLong(), payload.getInt());
    }

    private static Piece piece(ByteBuffer payload) {
        var version = payload.getInt();
        var identity = payload.getLong();
        var offset = payload.getLong();
        var over = payload.get() != 0;
        var emptied = payload.get() != 0;
        var error = payload.getInt();
        var data = new byte[payload.remaining()];
        payload.get(data);
        return new Piece(version, identity, offset, over, emptied, error, data);
    }

    /// Reads what is there now; nothing at the end of a version.
    ///
    /// @param length at most 256 KiB
    public synchronized CompletableFuture<Piece> read(int version, long offset, int length) {
        var answer = new CompletableFuture<Piece>();
        asked.add(answer);
        try {
            connection.send(
                    'G',
                    ByteBuffer.allocate(REQUEST_BYTES)
                            .putInt(version)
                            .putLong(offset)
                            .putInt(length)
                            .array());
        } catch (IOException e) {
            answer.completeExceptionally(e);
        }
        if (silent) {
            refuse("its reader has ended");
        }
        return answer.orTimeout(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void refuse(String why) {
        for (var each = asked.poll(); each != null; each = asked.poll()) {
            each.completeExceptionally(new IOException(why));
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
