package dev.spur.controller.access;

import dev.spur.engine.state.Snapshot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What the cloud calls its users. A host that vouches for one of them knows the uid alone: only
/// sessions have a line for it in /etc/passwd, and a name that the host made up is not believed.
final class CloudNames {
    private final Map<Integer, String> known = new ConcurrentHashMap<>();

    /// As in the user's jobs, of which somebody in a session has one; without any the number, which
    /// is nobody's name. A uid is given once, to one person.
    String name(Snapshot state, int uid) {
        var name = known.get(uid);
        if (name != null) {
            return name;
        }
        for (var job : state.jobs()) {
            if (job.spec().owner().uid() == uid) {
                known.put(uid, job.spec().owner().userName());
                return job.spec().owner().userName();
            }
        }
        return Integer.toUnsignedString(uid);
    }
}
