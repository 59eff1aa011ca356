package dev.spur.controller.agent;

import dev.spur.api.v1.ControllerMessage;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One agent's stream while it lasts. Orders wait in a bounded queue and are sent, in order, by a
/// task that exists only while there is something to send and the agent reads.
public final class AgentSession {
    private static final Logger LOG = LoggerFactory.getLogger(AgentSession.class);
    private static final int MOST_WAITING = 20_000;

    /// Why a stream ended whose orders could not be made.
    public static final String NOT_SENT = "an order could not be sent";

    private final String node;
    private final AgentLife life;
    private final AgentChannel channel;
    private final long epoch;
    private final Executor executor;
    private final Queue<PendingMessage> waiting = new ArrayDeque<>();
    private boolean sending;
    private boolean silent;
    private boolean closed;

    AgentSession(String node, AgentLife life, AgentChannel channel, long epoch, Executor executor) {
        this.node = node;
        this.life = life;
        this.channel = channel;
        this.epoch = epoch;
        this.executor = executor;
    }

    public String node() {
        return node;
    }

    AgentLife life() {
        return life;
    }

    /// The term in which it was opened.
    long epoch() {
        return epoch;
    }

    void send(PendingMessage message) {
        synchronized (waiting) {
            if (closed || silent) {
                return;
            }
            if (waiting.size() >= MOST_WAITING) {
                LOG.atWarn()
                        .addKeyValue("node", node)
                        .log("agent does not read; connection closed");
                waiting.clear();
                closed = true;
                channel.close("too much is waiting for this agent");
                return;
            }
            waiting.add(message);
        }
        wake();
    }

    /// The agent reads again, or something was added.
    public void wake() {
        synchronized (waiting) {
            if (sending || closed || waiting.isEmpty()) {
                return;
            }
            sending = true;
        }
        try {
            executor.execute(this::sendAll);
        } catch (RejectedExecutionException e) {
            close("the controller is stopping");
        }
    }

    boolean isClosed() {
        synchronized (waiting) {
            return closed;
        }
    }

    /// Sends nothing any more; whoever calls this closes it next.
    void fallSilent() {
        synchronized (waiting) {
            silent = true;
            waiting.clear();
        }
    }

    void close(String why) {
        synchronized (waiting) {
            if (closed) {
                return;
            }
            closed = true;
            waiting.clear();
        }
        channel.close(why);
    }

    private void sendAll() {
        while (true) {
            var pending = next();
            if (pending == null) {
                return;
            }
            try {
                pending.make().ifPresent(message -> channel.send(stamped(message)));
            } catch (RuntimeException e) {
                LOG.atWarn()
                        .addKeyValue("node", node)
                        .setCause(e)
                        .log("order not sent; connection closed");
                close(NOT_SENT);
            }
        }
    }

    private ControllerMessage stamped(ControllerMessage.Builder message) {
        return message.setEpoch(epoch).build();
    }

    private @Nullable PendingMessage next() {
        synchronized (waiting) {
            var pending = closed || !channel.isReady() ? null : waiting.poll();
            if (pending == null) {
                sending = false;
            }
            return pending;
        }
    }
}
