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
    private final LargeMessages large;
    private final Executor executor;
    private final Queue<PendingMessage> waiting = new ArrayDeque<>();
    private Place place = Place.NONE;
    private boolean sending;
    private boolean silent;
    private boolean closed;

    /// What this session has of [LargeMessages]. A place is used until what was sent has left.
    private enum Place {
        NONE,
        AWAITED,
        GRANTED,
        USED
    }

    AgentSession(
            String node,
            AgentLife life,
            AgentChannel channel,
            long epoch,
            LargeMessages large,
            Executor executor) {
        this.large = large;
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
        var full = false;
        synchronized (waiting) {
            if (closed || silent) {
                return;
            }
            if (waiting.size() >= MOST_WAITING) {
                LOG.atWarn()
                        .addKeyValue("node", node)
                        .log("agent does not read; connection closed");
                full = true;
            } else {
                waiting.add(message);
            }
        }
        if (full) {
            close("too much is waiting for this agent");
        } else {
            wake();
        }
    }

    /// The agent reads again, or something was added.
    public void wake() {
        synchronized (waiting) {
            if (sending || closed || waiting.isEmpty() && place != Place.USED) {
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
        boolean hadPlace;
        synchronized (waiting) {
            if (closed) {
                return;
            }
            closed = true;
            waiting.clear();
            hadPlace = leavePlace();
        }
        channel.close(why);
        if (hadPlace) {
            large.giveBack();
        }
    }

    /// It is this session's turn to send something large.
    ///
    /// @return false if it has nothing to send any more
    boolean granted() {
        synchronized (waiting) {
            if (closed || waiting.isEmpty()) {
                place = Place.NONE;
                return false;
            }
            place = Place.GRANTED;
        }
        wake();
        return true;
    }

    private boolean leavePlace() {
        var had = place == Place.GRANTED || place == Place.USED;
        if (had) {
            place = Place.NONE;
        }
        return had;
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
        while (true) {
            boolean left;
            synchronized (waiting) {
                left = place == Place.USED && channel.isReady() && leavePlace();
                if (!left) {
                    var pending = closed || !channel.isReady() ? null : poll();
                    if (pending == null) {
                        sending = false;
                    }
                    return pending;
                }
            }
            large.giveBack();
        }
    }

    /// The next message, unless it is large and others have all the places.
    private @Nullable PendingMessage poll() {
        var next = waiting.peek();
        if (next != null && next.isLarge()) {
            if (place == Place.AWAITED || place == Place.NONE && !takePlace()) {
                return null;
            }
            place = Place.USED;
        }
        return waiting.poll();
    }

    private boolean takePlace() {
        var taken = large.take(this);
        if (!taken) {
            place = Place.AWAITED;
        }
        return taken;
    }
}
