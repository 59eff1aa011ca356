package dev.spur.engine.state;

import java.util.List;

/// The state machine. One thread applies commands and publishes; any thread may read what was
/// published.
public final class ClusterState {
    private static final int EVENTS_KEPT = 1 << 16;

    private final EventLog events = new EventLog(EVENTS_KEPT);
    private static final Snapshot INITIAL =
            new Snapshot(
                    java.time.Instant.EPOCH,
                    0,
                    dev.spur.model.ClusterConfig.EMPTY,
                    dev.spur.engine.table.TableView.empty(),
                    dev.spur.engine.table.TableView.empty(),
                    dev.spur.engine.table.TableView.empty(),
                    java.util.Map.of(),
                    List.of(),
                    Credentials.NONE,
                    0);
    private volatile Snapshot published;

    public ClusterState() {
        published = INITIAL;
    }

    /// Folds one command into the state and tells what changed. Never throws: a command that no
    /// longer fits yields [Result.Ignored]. Called by the apply thread only; readers see it after
    /// [#publish].
    public Applied apply(Command command) {
        return new Applied(new Result.Ignored("" + command), List.of());
    }

    /// Makes everything applied so far visible to readers, at once.
    public Snapshot publish() {
        events.publish();
        return published;
    }

    /// The latest published state.
    public Snapshot snapshot() {
        return published;
    }

    public EventLog events() {
        return events;
    }
}
