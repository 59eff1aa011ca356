package dev.spur.engine.state;

/// An event and its [EventNumber], in one object: there are many.
public record NumberedEvent(long entry, int ordinal, Event event) {
    public EventNumber number() {
        return new EventNumber(entry, ordinal);
    }

    boolean isAfter(EventNumber other) {
        return entry != other.entry() ? entry > other.entry() : ordinal > other.ordinal();
    }
}
