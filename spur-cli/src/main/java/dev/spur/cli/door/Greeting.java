package dev.spur.cli.door;

import dev.spur.cli.ResourceLimit;
import dev.spur.cli.Terminal;
import dev.spur.cli.host.LocaleSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a stub tells of itself before its command runs. All of it is the caller's own word, so
/// nothing of it says who the caller is.
record Greeting(
        String program,
        List<String> args,
        Map<String, String> environment,
        Charset charset,
        String workingDirectory,
        int umask,
        int terminals,
        Terminal.Size size,
        List<ResourceLimit> limits,
        boolean resumed,
        long inputOffset,
        Map<Integer, byte[]> memory,
        List<Integer> children) {
    private static final String[] LIMITS = {
        "CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS"
    };

    /// Claims memory on the caller's account before it is used; false when there is no more.
    @FunctionalInterface
    interface Budget {
        boolean claim(int bytes);
    }

    /// The caller's greeting is larger than it may be.
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /// The stub is of another release than this door.
    static final class OtherVersionException extends IOException {
        private static final long serialVersionUID = 1;
        private final int version;

        OtherVersionException(int version) {
            this.version = version;
        }

        int version() {
            return version;
        }
    }

    /// @param patience for all of it: who sends a byte now and then is not waited for
    static Greeting read(FrameReader frames, Duration patience, Budget budget)
            throws IOException, InterruptedException {
        frames.endIn(patience);
        var greeting = read(frames, budget);
        frames.noEnd();
        return greeting;
    }

    private static Greeting read(FrameReader frames, Budget budget)
            throws IOException, InterruptedException {
        if (!frames.next() || frames.type() != Frame.HELLO) {
            throw new ProtocolException("no greeting");
        }
        var hello = ByteBuffer.wrap(frames.copy());
        try {
            if (hello.getInt() != Frame.MAGIC) {
                throw new ProtocolException("no greeting");
            }
            int version = Short.toUnsignedInt(hello.getShort());
            if (version != Frame.VERSION) {
                throw new OtherVersionException(version);
            }
            return read(hello, frames, budget);
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("a short greeting");
        }
    }

    private static Greeting read(ByteBuffer hello, FrameReader frames, Budget budget)
            throws IOException, InterruptedException {
        int umask = Short.toUnsignedInt(hello.getShort()) & 0777;
        int terminals = hello.get();
        var size =
                new Terminal.Size(
                        Short.toUnsignedInt(hello.getShort()),
                        Short.toUnsignedInt(hello.getShort()));
        var limits = limits(hello);
        var resumed = hello.getLong() != 0;
        var inputOffset = hello.getLong();
        var program = bytes(hello);
        var directory = bytes(hello);
        var memory = new HashMap<Integer, byte[]>();
        var children = new ArrayList<Integer>();
        var arguments = new ByteArrayOutputStream(256);
        var variables = new ByteArrayOutputStream(4096);
        while (true) {
            if (!frames.next()) {
                throw new ProtocolException("an unfinished greeting");
            }
            var cost =
                    switch (frames.type()) {
                        case Frame.ARGUMENTS, Frame.ENVIRONMENT -> Cost.ofTexts(frames.payload());
                        default -> Cost.ofFrame(frames.payload());
                    };
            if (!budget.claim(cost)) {
                throw new TooLargeException();
            }
            switch (frames.type()) {
                case Frame.ARGUMENTS -> append(arguments, frames.payload());
                case Frame.ENVIRONMENT -> append(variables, frames.payload());
                case Frame.MEMORY -> memory.put(frames.stream(), frames.copy());
                case Frame.CHILD_STARTED -> children.add(frames.stream());
                case Frame.RUN -> {
                    var environment = environment(variables.toByteArray(), StandardCharsets.UTF_8);
                    var charset = LocaleSettings.charset(environment);
                    if (charset != StandardCharsets.UTF_8) {
                        environment = environment(variables.toByteArray(), charset);
                    }
                    return new Greeting(
                            new String(program, charset),
                            strings(arguments.toByteArray(), charset),
                            environment,
                            charset,
                            new String(directory, charset),
                            umask,
                            terminals,
                            size,
                            limits,
                            resumed,
                            inputOffset,
                            memory,
                            children);
                }
                default ->
                        throw new ProtocolException(
                                "a frame of type " + frames.type() + " in a greeting");
            }
        }
    }

    private static List<ResourceLimit> limits(ByteBuffer hello) {
        int count = hello.get();
        var limits = new ArrayList<ResourceLimit>();
        for (int i = 0; i < count; i++) {
            long soft = hello.getLong();
            long hard = hello.getLong();
            if (i < LIMITS.length) {
                limits.add(new ResourceLimit(LIMITS[i], limit(soft), limit(hard)));
            }
        }
        return limits;
    }

    /// The kernel's RLIM_INFINITY has all bits set.
    private static long limit(long value) {
        return value < 0 ? ResourceLimit.UNLIMITED : value;
    }

    private static byte[] bytes(ByteBuffer from) {
        var bytes = new byte[Short.toUnsignedInt(from.getShort())];
        from.get(bytes);
        return bytes;
    }

    private static void append(ByteArrayOutputStream to, ByteBuffer from) {
        to.write(from.array(), from.arrayOffset() + from.position(), from.remaining());
    }

    private static Map<String, String> environment(byte[] joined, Charset charset)
            throws ProtocolException {
        var environment = new LinkedHashMap<String, String>();
        for (var variable : strings(joined, charset)) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                // As getenv does: the first of two equal names counts.
                environment.putIfAbsent(
                        variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }

    private static List<String> strings(byte[] joined, Charset charset) throws ProtocolException {
        var strings = new ArrayList<String>();
        int start = 0;
        for (int i = 0; i < joined.length; i++) {
            if (joined[i] == 0) {
                strings.add(new String(joined, start, i - start, charset));
                start = i + 1;
            }
        }
        if (start != joined.length) {
            throw new ProtocolException("a string without an end");
        }
        return strings;
    }
}
