package dev.spur.cloud.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The relay runs as the session's user, who can put a program of his own in its place.
@Timeout(60)
class HostileRelayTest {
    private static final int OPENED = 3;
    private static final int DATA = 5;
    private static final int END = 6;
    private static final int CREDIT = 8;

    private final PipedInputStream fromPlatform = new PipedInputStream(64 << 10);
    private final PipedOutputStream toProgram = new PipedOutputStream();
    private final PipedInputStream toPlatform = new PipedInputStream(64 << 10);
    private final DataOutputStream out;
    private final Relay relay;

    HostileRelayTest() throws IOException {
        toProgram.connect(fromPlatform);
        out = new DataOutputStream(new PipedOutputStream(toPlatform));
        relay = Relay.over(new Program());
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    private final class Program implements RunningProgram {
        @Override
        public InputStream output() {
            return toPlatform;
        }

        @Override
        public InputStream error() {
            return InputStream.nullInputStream();
        }

        @Override
        public OutputStream input() {
            return toProgram;
        }

        @Override
        public void resize(int rows, int columns) {}

        @Override
        public void signal(int number) {}

        @Override
        public ProgramEnd await() {
            return new ProgramEnd.Exited(0);
        }

        @Override
        public void close() {}
    }

    private RelayConnection opened() throws Exception {
        var connection =
                CompletableFuture.supplyAsync(() -> {
                    try {
                        return relay.openTcp("127.0.0.1", 80);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
        var asked = new DataInputStream(fromPlatform);
        asked.readNBytes(asked.readInt());
        say(OPENED, new byte[0]);
        return connection.get();
    }

    private void say(int type, byte[] payload) throws IOException {
        out.writeInt(5 + payload.length);
        out.writeByte(type);
        out.writeInt(1);
        out.write(payload);
        out.flush();
    }

    @Test
    void piecesOfNothingAreNotKept() throws Exception {
        var connection = opened();
        for (var i = 0; i < 1000; i++) {
            say(DATA, new byte[0]);
        }
        say(END, new byte[0]);

        // a stream never gives none of the bytes that were asked for
        assertThat(connection.input().read(new byte[10])).isEqualTo(-1);
    }

    @Test
    void aCreditTooLargeForItsNumberEndsTheRelay() throws Exception {
        var connection = opened();
        say(CREDIT, ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array());

        assertThat(connection.input().read()).isEqualTo(-1);
        assertThat(relay.isOpen()).isFalse();
        assertThatThrownBy(() -> connection.output().write(1)).isInstanceOf(IOException.class);
    }
}
