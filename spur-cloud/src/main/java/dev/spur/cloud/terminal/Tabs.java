package dev.spur.cloud.terminal;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Who looks at which shell through this daemon, and whose window it has the size of: of whoever
/// typed last.
final class Tabs {
    static final int MOST_VIEWERS = 32;

    private final Map<Tab, Viewers> viewers = new ConcurrentHashMap<>();

    record Tab(UUID session, String shell) {}

    private static final class Viewers {
        private final Set<Object> all = new HashSet<>();
        private @Nullable Object leader;
    }

    /// False: as many look on as may.
    boolean enter(Tab tab, Object viewer) {
        var entered = new boolean[1];
        viewers.compute(
                tab,
                (_, known) -> {
                    var present = known == null ? new Viewers() : known;
                    entered[0] = present.all.size() < MOST_VIEWERS && present.all.add(viewer);
                    return present;
                });
        return entered[0];
    }

    void leave(Tab tab, Object viewer) {
        viewers.computeIfPresent(
                tab,
                (_, present) -> {
                    present.all.remove(viewer);
                    if (present.leader == viewer) {
                        present.leader = null;
                    }
                    return present.all.isEmpty() ? null : present;
                });
    }

    /// Somebody types: the shell gets their window's size, unless it has it already.
    boolean leads(Tab tab, Object viewer) {
        var became = new boolean[1];
        viewers.computeIfPresent(
                tab,
                (_, present) -> {
                    became[0] = present.leader != viewer;
                    present.leader = viewer;
                    return present;
                });
        return became[0];
    }

    /// Whether this viewer's window counts now: it typed last, or nobody did yet.
    boolean counts(Tab tab, Object viewer) {
        var counts = new boolean[1];
        viewers.computeIfPresent(
                tab,
                (_, present) -> {
                    counts[0] = present.leader == null || present.leader == viewer;
                    return present;
                });
        return counts[0];
    }
}
