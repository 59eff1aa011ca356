package dev.spur.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A caller made of memory: valid as it is, remembers what the tool printed and wrote.
///
/// `var in = RememberingInvocation.of("squeue", "--me"); int code = tool.run(in); in.printed()`
public final class RememberingInvocation implements Invocation {
    private final String program;
    private final List<String> args;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, byte[]> files = new TreeMap<>();
    private final Map<Long, String> userNames = new TreeMap<>(Map.of(0L, "root", 1000L, "alice"));
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final ByteArrayOutputStream complained = new ByteArrayOutputStream();
    private final Output out = Output.buffered(printed::write, StandardCharsets.UTF_8);
    private final Output err = Output.unbuffered(this::complain, StandardCharsets.UTF_8, out);
    private volatile @Nullable Runnable whenSpokenTo;
    private boolean missing;
    private final List<List<String>> spawned = new ArrayList<>();
    private Caller caller = new Caller(1000, 1000, List.of(1000L), "alice");
    private InstantSource clock = InstantSource.fixed(Instant.parse("2027-03-01T12:00:00Z"));
    private ZoneId zone = ZoneOffset.UTC;
    private InputStream input = InputStream.nullInputStream();
    private String workingDirectory = "/home/alice";
    private Terminal.Size size = Terminal.Size.UNKNOWN;
    private ToIntFunction<List<String>> childExit = _ -> 0;
    private @Nullable Runnable whenChildIsWaitedFor;
    private Set<ProcessSignal> heard = Set.of();
    private Consumer<ProcessSignal> listener = _ -> {};
    private Memory memory = Memory.NONE;
    private int requestIds;

    private RememberingInvocation(String program, List<String> args) {
        this.program = program;
        this.args = args;
    }

    public static RememberingInvocation of(String program, String... args) {
        return new RememberingInvocation(program, List.of(args));
    }

    public RememberingInvocation with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public RememberingInvocation caller(Caller who) {
        caller = who;
        userNames.put(who.uid(), who.name());
        return this;
    }

    public RememberingInvocation at(Instant now) {
        clock = InstantSource.fixed(now);
        return this;
    }

    public RememberingInvocation zone(ZoneId zone) {
        this.zone = zone;
        return this;
    }

    public RememberingInvocation in(String directory) {
        workingDirectory = directory;
        return this;
    }

    public RememberingInvocation file(String path, String content) {
        files.put(absolute(path), content.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public RememberingInvocation input(String text) {
        input = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /// A caller that a door left these memories with.
    public RememberingInvocation input(InputStream typed) {
        input = typed;
        return this;
    }

    public RememberingInvocation memory(Memory kept) {
        memory = kept;
        return this;
    }

    /// A terminal of that size on all three descriptors.
    public RememberingInvocation terminal(int columns, int rows) {
        size = new Terminal.Size(columns, rows);
        return this;
    }

    public RememberingInvocation childrenExitWith(ToIntFunction<List<String>> exitCodeOfArgv) {
        childExit = exitCodeOfArgv;
        return this;
    }

    /// No program that is started exists.
    public RememberingInvocation childrenAreMissing() {
        missing = true;
        return this;
    }

    /// The caller leaves while its child runs: nobody hears of the child's end any more.
    public RememberingInvocation leavesChildren(Runnable whenWaitedFor) {
        whenChildIsWaitedFor = whenWaitedFor;
        return this;
    }

    /// The caller has left: complaints reach nobody.
    public RememberingInvocation gone(Runnable whenSpokenTo) {
        this.whenSpokenTo = whenSpokenTo;
        return this;
    }

    private void complain(byte[] bytes, int offset, int length) {
        var gone = whenSpokenTo;
        if (gone != null) {
            gone.run();
            throw new CallerGoneException("the caller has left");
        }
        complained.write(bytes, offset, length);
    }

    /// Sends a signal as a user would; false when the tool does not listen, so it would have died.
    public boolean send(ProcessSignal signal) {
        if (!heard.contains(signal)) {
            return false;
        }
        listener.accept(signal);
        return true;
    }

    /// What the tool wrote to standard output.
    public String printed() {
        out.flush();
        return printed.toString(StandardCharsets.UTF_8);
    }

    /// What the tool wrote to standard error.
    public String complained() {
        return complained.toString(StandardCharsets.UTF_8);
    }

    public String written(String path) {
        var bytes = files.get(absolute(path));
        if (bytes == null) {
            throw new AssertionError(
                    "no file " + path + " was written; there are " + files.keySet());
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public List<List<String>> spawned() {
        return List.copyOf(spawned);
    }

    private String absolute(String path) {
        return path.startsWith("/") ? path : workingDirectory + "/" + path;
    }

    @Override
    public String program() {
        return program;
    }

    @Override
    public List<String> args() {
        return args;
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    @Override
    public String workingDirectory() {
        return workingDirectory;
    }

    @Override
    public int umask() {
        return 022;
    }

    @Override
    public int session() {
        return 3383;
    }

    @Override
    public Caller caller() {
        return caller;
    }

    @Override
    public List<ResourceLimit> limits() {
        return List.of(
                new ResourceLimit("NOFILE", 1024, 4096),
                new ResourceLimit("STACK", 8_388_608, ResourceLimit.UNLIMITED));
    }

    @Override
    public ZoneId zone() {
        return zone;
    }

    @Override
    public Charset charset() {
        return StandardCharsets.UTF_8;
    }

    @Override
    public Terminal terminal() {
        return new Terminal() {
            @Override
            public boolean isTerminal(int descriptor) {
                return size != Size.UNKNOWN;
            }

            @Override
            public Size size() {
                return size;
            }

            @Override
            public RawMode raw() {
                return () -> {};
            }
        };
    }

    @Override
    public Output out() {
        return out;
    }

    @Override
    public Output err() {
        return err;
    }

    @Override
    public InputStream input() {
        return input;
    }

    @Override
    public Signals signals() {
        return (signals, consumer) -> {
            heard = Set.copyOf(signals);
            listener = consumer;
        };
    }

    @Override
    public UserFiles files() {
        return new MemoryFiles();
    }

    @Override
    public Children children() {
        return (argv, _) -> {
            if (missing) {
                throw new UserFileException(argv.getFirst(), 2, "No such file or directory");
            }
            spawned.add(List.copyOf(argv));
            var exit = new Children.Exit(childExit.applyAsInt(argv), null);
            return new Children.Child() {
                @Override
                public Children.Exit waitFor() {
                    var leaving = whenChildIsWaitedFor;
                    if (leaving != null) {
                        leaving.run();
                        throw new CallerGoneException("the caller has left");
                    }
                    return exit;
                }

                @Override
                public void signal(int number) {}
            };
        };
    }

    @Override
    public UserDirectory users() {
        return new MemoryDirectory();
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public String newRequestId() {
        return "request-" + ++requestIds;
    }

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public void takesLong() {}

    private final class MemoryFiles implements UserFiles {
        @Override
        public byte[] read(String path, int limit) throws IOException {
            var bytes = files.get(absolute(path));
            if (bytes == null) {
                throw missing(path);
            }
            if (bytes.length > limit) {
                throw new UserFileException(path, UserFileException.EFBIG, "File too large");
            }
            return bytes.clone();
        }

        @Override
        public InputStream open(String path) throws IOException {
            return new ByteArrayInputStream(read(path, Integer.MAX_VALUE));
        }

        @Override
        public OutputStream write(String path, WriteMode mode) throws IOException {
            var content = new ByteArrayOutputStream();
            if (mode == WriteMode.APPEND && files.containsKey(absolute(path))) {
                content.write(read(path, Integer.MAX_VALUE));
            }
            files.put(absolute(path), content.toByteArray());
            return new FilterOutputStream(content) {
                @Override
                public void flush() {
                    files.put(absolute(path), content.toByteArray());
                }
            };
        }

        @Override
        public Status status(String path) throws IOException {
            var size = read(path, Integer.MAX_VALUE).length;
            return new Status(
                    0100644, caller.uid(), caller.gid(), size, clock.instant().getEpochSecond());
        }

        private static UserFileException missing(String path) {
            return new UserFileException(
                    path, UserFileException.ENOENT, "No such file or directory");
        }
    }

    private final class MemoryDirectory implements UserDirectory {
        @Override
        public String userName(long uid) {
            return userNames.getOrDefault(uid, Long.toString(uid));
        }

        @Override
        public String groupName(long gid) {
            return userNames.getOrDefault(gid, Long.toString(gid));
        }

        @Override
        public OptionalLong uid(String nameOrNumber) {
            if (nameOrNumber.chars().allMatch(Character::isDigit)) {
                return OptionalLong.of(Long.parseLong(nameOrNumber));
            }
            return userNames.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(nameOrNumber))
                    .mapToLong(Map.Entry::getKey)
                    .findFirst();
        }

        @Override
        public OptionalLong gid(String nameOrNumber) {
            return uid(nameOrNumber);
        }
    }
}
