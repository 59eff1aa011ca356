package dev.spur.cli.door;

import dev.spur.cli.UserFileException;
import dev.spur.cli.UserFiles;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/// Files opened by the stub, so with the rights of its user and of nobody else.
final class StubFiles implements UserFiles {
    private static final int READ = 0;
    private static final int TRUNCATE = 1;
    private static final int APPEND = 2;
    private static final int STATUS = 3;
    private static final int WRITE_PIECE = 32 * 1024;
    private static final int READ_PIECE = 64 * 1024;
    private static final int EAGAIN = 11;

    private final Stub stub;
    private final Charset charset;
    private final Greeting.Budget budget;

    /// @param budget what is read of the caller's files is on the caller's account too
    StubFiles(Stub stub, Charset charset, Greeting.Budget budget) {
        this.stub = stub;
        this.charset = charset;
        this.budget = budget;
    }

    @Override
    public byte[] read(String path, int limit) throws IOException {
        int id = stub.newStream();
        try (var content = stub.incoming(id, Frame.WINDOW, () -> closeReading(id))) {
            var status = open(id, path, READ, Frame.WINDOW);
            if (status.isRegularFile() && status.size() > limit) {
                throw tooLarge(path);
            }
            var bytes = new ByteArrayOutputStream();
            while (bytes.size() < limit) {
                var piece = content.readNBytes(Math.min(READ_PIECE, limit - bytes.size()));
                if (piece.length == 0) {
                    return bytes.toByteArray();
                }
                claim(path, Cost.ofFile(piece.length));
                bytes.writeBytes(piece);
            }
            if (content.read() >= 0) {
                throw tooLarge(path);
            }
            return bytes.toByteArray();
        }
    }

    @Override
    public InputStream open(String path) throws IOException {
        claim(path, Frame.WINDOW);
        int id = stub.newStream();
        var content = stub.incoming(id, Frame.WINDOW, () -> closeReading(id));
        try {
            open(id, path, READ, Frame.WINDOW);
            return content;
        } catch (IOException e) {
            stub.forget(id);
            throw e;
        }
    }

    @Override
    public OutputStream write(String path, WriteMode mode) throws IOException {
        int id = stub.newStream();
        open(id, path, mode == WriteMode.APPEND ? APPEND : TRUNCATE, 0);
        return new BufferedOutputStream(new Writing(id, path), WRITE_PIECE);
    }

    @Override
    public Status status(String path) throws IOException {
        return open(stub.newStream(), path, STATUS, 0);
    }

    private Status open(int id, String path, int mode, int credit) throws IOException {
        var name = path.getBytes(charset);
        if (name.length > 4096) {
            throw new UserFileException(path, 36, "File name too long");
        }
        var request =
                ByteBuffer.allocate(5 + name.length).put((byte) mode).putInt(credit).put(name);
        var opened = stub.expect(Frame.OPENED, id);
        stub.writer().send(Frame.OPEN, id, request.array());
        var answer = await(opened);
        int errno = answer.getInt();
        var status =
                new Status(
                        answer.getInt(),
                        Integer.toUnsignedLong(answer.getInt()),
                        Integer.toUnsignedLong(answer.getInt()),
                        answer.getLong(),
                        answer.getLong());
        if (errno != 0) {
            throw new UserFileException(path, errno, text(answer));
        }
        return status;
    }

    private void claim(String path, int bytes) throws UserFileException {
        if (!budget.claim(bytes)) {
            throw new UserFileException(
                    path,
                    EAGAIN,
                    "Resource temporarily unavailable: your commands on this host need too much memory at once");
        }
    }

    private void closeReading(int id) {
        stub.forget(id);
        if (!stub.isGone()) {
            stub.writer().send(Frame.CLOSE, id);
        }
    }

    private static UserFileException tooLarge(String path) {
        return new UserFileException(path, UserFileException.EFBIG, "File too large");
    }

    static String text(ByteBuffer rest) {
        return StandardCharsets.UTF_8.decode(rest).toString();
    }

    static ByteBuffer await(CompletableFuture<ByteBuffer> answer) throws InterruptedIOException {
        try {
            return Stub.await(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled while waiting for the caller");
        }
    }

    /// Closing waits for the stub's word that all was written.
    private final class Writing extends OutputStream {
        private final int id;
        private final String path;
        private boolean closed;

        Writing(int id, String path) {
            this.id = id;
            this.path = path;
        }

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            stub.outgoing(id).send(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            var answer = stub.expect(Frame.CLOSED, id);
            stub.writer().send(Frame.CLOSE, id);
            var result = await(answer);
            stub.forget(id);
            int errno = result.getInt();
            if (errno != 0) {
                throw new UserFileException(path, errno, text(result));
            }
        }
    }
}
