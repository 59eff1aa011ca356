package dev.spur.agent.step;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A step of this node and how far it got. Guarded by the lock of [NodeSteps].
final class StepEntry {
    /// How long streams of an ended step wait for a reader that went away: door and controller may
    /// have to start again first. The controller waits for such a reader just as long.
    private static final Duration UNREAD_OUTPUT = Duration.ofMinutes(5);

    /// The same if the step was to end: whoever ordered that is hardly coming back.
    private static final Duration UNREAD_LAST_WORDS = Duration.ofSeconds(30);

    private static final int STOP = 19;
    private static final int CONT = 18;

    /// Whether a step runs or stands still, as far as this agent has a part in it.
    private enum Motion {
        UNKNOWN,
        MOVING,
        STOPPED
    }

    final StepKey key;
    boolean launching;
    @Nullable SupervisedStep step;
    @Nullable StepStatus status;
    boolean startReported;
    boolean ended;
    boolean endAcknowledged;
    boolean cutOff;

    private Motion motion = Motion.MOVING;
    private @Nullable Termination termination;
    private int readers;
    private Instant readersLeftAt = Instant.MIN;
    private boolean streamed;
    private final List<StepListener> listeners = new ArrayList<>();
    private final Set<StepListener> viewers = new HashSet<>();

    private StepEntry(StepKey key) {
        this.key = key;
    }

    static StepEntry launching(StepKey key) {
        var entry = new StepEntry(key);
        entry.launching = true;
        return entry;
    }

    /// An earlier life of this agent started it.
    static StepEntry found(StepKey key) {
        return new StepEntry(key);
    }

    void adopting() {
        launching = true;
        motion = Motion.UNKNOWN; // until the controller has said how it goes on
        streamed = !key.isBatch(); // its reader may come back
    }

    /// @return whether it is to end already
    boolean started(SupervisedStep running) {
        step = running;
        launching = false;
        if (termination == null) {
            return false;
        }
        termination.carryOut(running);
        return true;
    }

    void end(Instant now) {
        ended = true;
        readersLeftAt = now;
    }

    /// The step, if there is something to tell it.
    @Nullable SupervisedStep running() {
        return ended ? null : step;
    }

    /// Once, unless it is to be killed sooner now: a job that traps TERM counts on hearing it once.
    void terminate(Termination order) {
        if (termination != null && !order.isSoonerThan(termination)) {
            return;
        }
        termination = order;
        var running = running();
        if (running != null) {
            order.carryOut(running);
        }
    }

    /// Stops or continues it, unless it is so: what the user has stopped stays so.
    void move(SupervisedStep running, boolean suspended) {
        var wanted = suspended ? Motion.STOPPED : Motion.MOVING;
        if (motion != wanted) {
            motion = wanted;
            running.signal(wanted == Motion.STOPPED ? STOP : CONT, false, "");
        }
    }

    List<StepListener> listeners() {
        return List.copyOf(listeners);
    }

    void join(StepListener reader) {
        readers++;
        streamed = true;
        listeners.add(reader);
    }

    /// For one who looks on: the streams stay as long as he does, and go without him.
    void lookOn(StepListener viewer) {
        readers++;
        listeners.add(viewer);
        viewers.add(viewer);
    }

    /// @param delivered whether all output has reached the reader
    void leave(StepListener reader, boolean delivered, Instant now) {
        if (!listeners.remove(reader)) {
            return;
        }
        readers--;
        if (viewers.remove(reader)) {
            return;
        }
        readersLeftAt = now;
        if (delivered) {
            streamed = false;
        }
    }

    /// Whether nobody needs it any more.
    boolean isDone(Instant now) {
        if (!ended || !endAcknowledged || readers > 0 || launching) {
            return false;
        }
        var patience = termination == null ? UNREAD_OUTPUT : UNREAD_LAST_WORDS;
        return !streamed || !now.isBefore(readersLeftAt.plus(patience));
    }
}
