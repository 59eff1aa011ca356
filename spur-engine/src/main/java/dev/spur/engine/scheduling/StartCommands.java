package dev.spur.engine.scheduling;

import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.IndexSet;
import dev.spur.model.Placement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The starts of a pass as commands to propose.
public final class StartCommands {
    /// So that an entry stays far below what a log takes, and others get their turn between two.
    private static final int MOST_JOBS = 1_000;

    private static final long MOST_BYTES = 1 << 20;

    /// Numbers and marks of one record.
    private static final long OVERHEAD = 64;

    private StartCommands() {}

    /// Empty if nothing starts. Starts can be more than one entry of the log may hold, so there may
    /// be several commands.
    public static List<Command.StartJobs> of(
            Snapshot cluster, List<Decision> decisions, Instant at) {
        var commands = new ArrayList<Command.StartJobs>();
        var batch = new ArrayList<Command.JobStart>();
        var bytes = 0L;
        for (var decision : decisions) {
            if (!(decision
                    instanceof Decision.Start(var id, var placement, var limit, var reservation))) {
                continue;
            }
            var job = cluster.job(id).orElse(null);
            if (job == null) {
                continue;
            }
            var size = bytes(placement) + bytes(reservation);
            if (batch.size() == MOST_JOBS || !batch.isEmpty() && bytes + size > MOST_BYTES) {
                commands.add(new Command.StartJobs(at, batch));
                batch.clear();
                bytes = 0;
            }
            batch.add(
                    new Command.JobStart(
                            id, placement, job.terms().revision(), limit, reservation));
            bytes += size;
        }
        if (!batch.isEmpty()) {
            commands.add(new Command.StartJobs(at, batch));
        }
        return commands;
    }

    /// At least as many as it takes when encoded.
    static long bytes(Placement placement) {
        var bytes = OVERHEAD + bytes(placement.partition());
        for (var share : placement.nodes()) {
            bytes += OVERHEAD + bytes(share.node()) + bytes(share.cpus());
            for (var part : share.gres()) {
                bytes += OVERHEAD + bytes(part.name()) + bytes(part.type()) + bytes(part.indices());
            }
        }
        return bytes;
    }

    private static long bytes(String text) {
        return 5 + 3L * text.length();
    }

    private static long bytes(IndexSet set) {
        return 10L * (1 + set.toWords().length);
    }
}
