package dev.spur.engine.state;

import java.util.List;

/// What applying a command led to: the answer to the proposer, and the news for everybody.
public record Applied(Result result, List<NumberedEvent> events) {
    public Applied {
        events = List.copyOf(events);
    }
}
