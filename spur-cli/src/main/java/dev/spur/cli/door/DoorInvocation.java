package dev.spur.cli.door;

import dev.spur.api.client.AnswerAccount;
import dev.spur.cli.Caller;
import dev.spur.cli.Children;
import dev.spur.cli.Invocation;
import dev.spur.cli.Output;
import dev.spur.cli.ResourceLimit;
import dev.spur.cli.Signals;
import dev.spur.cli.Terminal;
import dev.spur.cli.UserDirectory;
import dev.spur.cli.UserFiles;
import dev.spur.cli.host.LocaleSettings;
import dev.spur.cli.host.ProcessSession;
import dev.spur.cli.tools.Tools;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A command's view of the stub that called it.
final class DoorInvocation implements Invocation {
    private final DoorConfig config;
    private final Tools.Call call;
    private final Greeting greeting;
    private final Caller caller;
    private final int pid;
    private final Stub stub;
    private final Map<String, String> environment;
    private final Output out;
    private final Output err;
    private final StubFiles files;
    private final StubChildren children;
    private final StubTerminal terminal;
    private final StubMemory memory;
    private final AnswerAccount answers;
    private volatile boolean takesLong;
    private volatile boolean finishing;

    DoorInvocation(
            DoorConfig config,
            Tools.Call call,
            Greeting greeting,
            Caller caller,
            int pid,
            Stub stub,
            Greeting.Budget budget,
            AnswerAccount answers) {
        this.config = config;
        this.answers = answers;
        this.call = call;
        this.greeting = greeting;
        this.caller = caller;
        this.pid = pid;
        this.stub = stub;
        this.environment = Collections.unmodifiableMap(greeting.environment());
        var standardOutput = stub.outgoing(Terminal.OUTPUT);
        var standardError = stub.outgoing(Terminal.ERROR);
        this.out =
                Output.buffered(
                        (bytes, offset, length) -> {
                            if (finishing) {
                                standardOutput.add(bytes, offset, length);
                            } else {
                                standardOutput.send(bytes, offset, length);
                            }
                        },
                        greeting.charset());
        this.err = Output.unbuffered(standardError::send, greeting.charset(), out);
        this.files = new StubFiles(stub, greeting.charset(), budget);
        this.children = new StubChildren(stub, greeting.charset(), greeting.children());
        this.terminal = new StubTerminal(stub, greeting.terminals());
        this.memory = new StubMemory(greeting, stub.writer());
    }

    /// Sends the rest of the output and the exit code in one go.
    void finish(int exitCode) {
        finishing = true;
        out.flush();
        stub.writer().send(Frame.EXIT, 0, new byte[] {(byte) exitCode});
    }

    boolean isLong() {
        return takesLong;
    }

    @Override
    public String program() {
        return call.program();
    }

    @Override
    public List<String> args() {
        return call.args();
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    @Override
    public String workingDirectory() {
        return greeting.workingDirectory();
    }

    @Override
    public int umask() {
        return greeting.umask();
    }

    @Override
    public int session() {
        return ProcessSession.of(pid);
    }

    @Override
    public Caller caller() {
        return caller;
    }

    @Override
    public List<ResourceLimit> limits() {
        return greeting.limits();
    }

    @Override
    public ZoneId zone() {
        return LocaleSettings.zone(environment, config.systemZone());
    }

    @Override
    public Charset charset() {
        return greeting.charset();
    }

    @Override
    public Terminal terminal() {
        return terminal;
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
        return stub.standardInput();
    }

    @Override
    public Signals signals() {
        return stub.signals();
    }

    @Override
    public UserFiles files() {
        return files;
    }

    @Override
    public Children children() {
        return children;
    }

    @Override
    public UserDirectory users() {
        return config.users();
    }

    @Override
    public InstantSource clock() {
        return config.clock();
    }

    @Override
    public String newRequestId() {
        return UUID.randomUUID().toString();
    }

    @Override
    public StubMemory memory() {
        return memory;
    }

    @Override
    public AnswerAccount answers() {
        return answers;
    }

    @Override
    public void takesLong() {
        takesLong = true;
    }
}
