package dev.spur.cli.door;

import dev.spur.cli.Children;
import dev.spur.cli.UserFileException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// Programs that the stub runs for a command.
final class StubChildren implements Children {
    private final Stub stub;
    private final Charset charset;
    private final List<Integer> earlier;

    /// @param earlier children that the stub has from an earlier door
    StubChildren(Stub stub, Charset charset, List<Integer> earlier) {
        this.stub = stub;
        this.charset = charset;
        this.earlier = earlier;
    }

    @Override
    public synchronized Child spawn(List<String> argv, Map<String, String> environment)
            throws IOException {
        int id = stub.newStream();
        var started = stub.expect(Frame.CHILD_STARTED, id);
        var ended = stub.expect(Frame.CHILD_ENDED, id);
        sendStrings(Frame.ARGUMENTS, id, argv.stream());
        sendStrings(
                Frame.ENVIRONMENT,
                id,
                environment.entrySet().stream()
                        .map(variable -> variable.getKey() + "=" + variable.getValue()));
        stub.writer().send(Frame.SPAWN, id);
        var answer = StubFiles.await(started);
        int errno = answer.getInt();
        if (errno != 0) {
            throw new UserFileException(argv.getFirst(), errno, StubFiles.text(answer));
        }
        return new StubChild(id, ended);
    }

    @Override
    public Optional<Child> adopt() {
        return earlier.stream()
                .findFirst()
                .map(id -> {
                    var ended = stub.expect(Frame.CHILD_ENDED, id);
                    stub.writer().send(Frame.ADOPT, id);
                    return new StubChild(id, ended);
                });
    }

    private void sendStrings(int type, int id, Stream<String> strings) {
        var joined = new ByteArrayOutputStream();
        strings.forEach(string -> {
            joined.writeBytes(string.getBytes(charset));
            joined.write(0);
        });
        var bytes = joined.toByteArray();
        for (int at = 0; at < bytes.length; at += Frame.PAYLOAD) {
            stub.writer().add(type, id, bytes, at, Math.min(Frame.PAYLOAD, bytes.length - at));
        }
    }

    private final class StubChild implements Child {
        private final int id;
        private final CompletableFuture<ByteBuffer> ended;

        StubChild(int id, CompletableFuture<ByteBuffer> ended) {
            this.id = id;
            this.ended = ended;
        }

        @Override
        public Exit waitFor() throws InterruptedException {
            var answer = Stub.await(ended);
            int code = Byte.toUnsignedInt(answer.get(0));
            int signal = answer.get(1);
            return new Exit(code, signal == 0 ? null : signal);
        }

        @Override
        public void signal(int number) {
            stub.writer().send(Frame.KILL, id, new byte[] {(byte) number});
        }
    }
}
