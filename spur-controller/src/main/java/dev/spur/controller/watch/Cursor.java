package dev.spur.controller.watch;

import dev.spur.engine.state.EventNumber;
import java.util.Optional;

/// How far a watcher has come. Events have the same numbers on every controller; the plan's news
/// count on one, while it leads.
///
/// @param planner which controller's plan, and which time that it led
record Cursor(EventNumber event, long plan, String planner) {
    static Optional<Cursor> parse(String text) {
        var parts = text.split(":", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Cursor(
                            new EventNumber(Long.parseLong(parts[0]), Integer.parseInt(parts[1])),
                            Long.parseLong(parts[2]),
                            parts[3]));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return event.entry() + ":" + event.ordinal() + ":" + plan + ":" + planner;
    }
}
