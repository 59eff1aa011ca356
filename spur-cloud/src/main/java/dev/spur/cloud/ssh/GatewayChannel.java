package dev.spur.cloud.ssh;

import dev.spur.cloud.reach.Program;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.channel.PtyMode;
import org.apache.sshd.common.channel.RequestHandler;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.channel.ChannelSession;
import org.jspecify.annotations.Nullable;

/// A channel with a shell, a command or sftp in it. Ends also with the signal that ended the
/// program, as `ssh` tells it, and takes no more variables than a session may be given.
final class GatewayChannel extends ChannelSession {
    private static final Pattern PASSED_ON = Pattern.compile("LANG|LC_[A-Z]{1,20}|COLORTERM|TZ");
    private static final int MOST_VARIABLES = 32;
    private static final int LONGEST_VALUE = 256;
    private static final int LONGEST_LINE = 1 << 20;
    private static final int MOST_ROWS = 1000;

    private final Map<String, String> variables = new LinkedHashMap<>();
    private boolean hasTerminal;
    private volatile @Nullable String endedBy;

    static final class Factory implements ChannelFactory {
        @Override
        public String getName() {
            return "session";
        }

        @Override
        public Channel createChannel(Session session) {
            return new GatewayChannel();
        }
    }

    Map<String, String> variables() {
        return Map.copyOf(variables);
    }

    Program.@Nullable Terminal terminal() {
        if (!hasTerminal) {
            return null;
        }
        var env = getEnvironment().getEnv();
        var type = env.getOrDefault(Environment.ENV_TERM, "");
        return new Program.Terminal(
                type.matches("[A-Za-z0-9._+-]{1,64}") ? type : "dumb", rows(), columns());
    }

    int rows() {
        return size(Environment.ENV_LINES, 24);
    }

    int columns() {
        return size(Environment.ENV_COLUMNS, 80);
    }

    private int size(String name, int usual) {
        try {
            var said = Integer.parseInt(getEnvironment().getEnv().getOrDefault(name, ""));
            return said < 1 ? usual : Math.min(said, MOST_ROWS);
        } catch (NumberFormatException _) {
            return usual;
        }
    }

    /// From now on the end that is told is that by a signal.
    void endedBy(String signal) {
        endedBy = signal;
    }

    @Override
    protected RequestHandler.Result handleEnvParsed(String name, String value) {
        if (variables.size() >= MOST_VARIABLES
                || value.length() > LONGEST_VALUE
                || !PASSED_ON.matcher(name).matches()) {
            return RequestHandler.Result.ReplyFailure;
        }
        variables.put(name, value);
        return RequestHandler.Result.ReplySuccess;
    }

    @Override
    protected RequestHandler.Result handlePtyReqParsed(
            String term, int columns, int rows, int width, int height, Map<PtyMode, Integer> modes)
            throws IOException {
        hasTerminal = true;
        return super.handlePtyReqParsed(term, columns, rows, width, height, modes);
    }

    @Override
    protected RequestHandler.Result handleExecParsed(String request, String line)
            throws IOException {
        return line.length() > LONGEST_LINE || line.indexOf('\0') >= 0
                ? RequestHandler.Result.ReplyFailure
                : super.handleExecParsed(request, line);
    }

    @Override
    protected void sendExitStatus(int code) throws IOException {
        var signal = endedBy;
        if (signal == null) {
            super.sendExitStatus(code);
            return;
        }
        if (exitStatusSent.getAndSet(true)) {
            return;
        }
        var buffer = getSession().createBuffer(SshConstants.SSH_MSG_CHANNEL_REQUEST, 64);
        buffer.putUInt(getRecipient());
        buffer.putString("exit-signal");
        buffer.putBoolean(false);
        buffer.putString(signal);
        buffer.putBoolean(false); // whether there is a core file is the node's business
        buffer.putString("");
        buffer.putString("");
        writePacket(buffer);
    }
}
