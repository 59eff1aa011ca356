package dev.spur.cli.process;

import dev.spur.cli.Caller;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Children;
import dev.spur.cli.Invocation;
import dev.spur.cli.Memory;
import dev.spur.cli.Output;
import dev.spur.cli.ResourceLimit;
import dev.spur.cli.Signals;
import dev.spur.cli.Terminal;
import dev.spur.cli.UserDirectory;
import dev.spur.cli.UserFiles;
import dev.spur.cli.host.HostUsers;
import dev.spur.cli.host.LocaleSettings;
import dev.spur.cli.host.ProcessSession;
import dev.spur.cli.tools.Tools;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The JVM's own process as a caller.
public final class ProcessInvocation implements Invocation {
    private final Tools.Call call;
    private final Map<String, String> environment = System.getenv();
    private final String workingDirectory = System.getProperty("user.dir");
    private final InstantSource clock = InstantSource.system();
    private final UserDirectory users = new HostUsers(clock);
    private final ProcessStatus status = ProcessStatus.read();
    private final Signals signals = new ProcessSignals();
    private final InputStream input = new FileInputStream(FileDescriptor.in);
    private final Terminal terminal;
    private final Charset charset;
    private final Output out;
    private final Output err;

    /// `terminal` is what the stub says of it: `MASK:COLUMNS:ROWS`.
    public ProcessInvocation(Tools.Call call, String terminal) {
        this.call = call;
        this.terminal = ProcessTerminal.parse(terminal);
        this.charset = LocaleSettings.charset(environment);
        this.out = Output.buffered(sink(FileDescriptor.out), charset);
        this.err = Output.unbuffered(sink(FileDescriptor.err), charset, out);
    }

    private static Output.Sink sink(FileDescriptor descriptor) {
        var stream = new FileOutputStream(descriptor);
        return (bytes, offset, length) -> {
            try {
                stream.write(bytes, offset, length);
            } catch (IOException e) {
                throw new CallerGoneException("nobody reads the output: " + e.getMessage());
            }
        };
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
        return workingDirectory;
    }

    @Override
    public int umask() {
        return status.umask();
    }

    @Override
    public int session() {
        return ProcessSession.ofThisProcess();
    }

    @Override
    public Caller caller() {
        return new Caller(
                status.uid(), status.gid(), status.groups(), users.userName(status.uid()));
    }

    @Override
    public List<ResourceLimit> limits() {
        return status.limits();
    }

    @Override
    public ZoneId zone() {
        return LocaleSettings.zone(environment, ZoneId.systemDefault());
    }

    @Override
    public Charset charset() {
        return charset;
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
        return input;
    }

    @Override
    public Signals signals() {
        return signals;
    }

    @Override
    public UserFiles files() {
        return new ProcessFiles(Path.of(workingDirectory));
    }

    @Override
    public Children children() {
        return new ProcessChildren();
    }

    @Override
    public UserDirectory users() {
        return users;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public String newRequestId() {
        return UUID.randomUUID().toString();
    }

    @Override
    public Memory memory() {
        return Memory.NONE; // the command is its caller
    }

    @Override
    public void takesLong() {
        // Here nobody bounds a command but its user.
    }
}
