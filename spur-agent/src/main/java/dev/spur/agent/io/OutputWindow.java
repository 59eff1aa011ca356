package dev.spur.agent.io;

import dev.spur.agent.step.SupervisedStep.StreamPosition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// Output that was sent but perhaps not received. A caller that gives credit says by it what it
/// has; for one that never does, all but the last pieces that the transport took count as received.
final class OutputWindow {
    private static final int HELD_WITHOUT_CREDIT = 2;

    private record Sent(StreamPosition end, int length) {}

    private final ArrayDeque<Sent> inFlight = new ArrayDeque<>();
    private boolean credited;
    private long credit;

    /// @return what the supervisor may let go of
    List<StreamPosition> sent(StreamPosition at, int length) {
        var end = new StreamPosition(at.rank(), at.stream(), at.offset() + length);
        inFlight.addLast(new Sent(end, length));
        if (!credited && inFlight.size() > HELD_WITHOUT_CREDIT) {
            var oldest = inFlight.removeFirst();
            credit -= oldest.length; // credit that still comes for it must not count for others
            return List.of(oldest.end);
        }
        return settle();
    }

    /// @return what the supervisor may let go of
    List<StreamPosition> credit(long bytes) {
        credited = true;
        credit += bytes;
        return settle();
    }

    private List<StreamPosition> settle() {
        var done = new ArrayList<StreamPosition>();
        while (!inFlight.isEmpty() && inFlight.getFirst().length <= credit) {
            var oldest = inFlight.removeFirst();
            credit -= oldest.length;
            done.add(oldest.end);
        }
        return done;
    }
}
