package dev.spur.cli.submission;

import dev.spur.api.v1.TestJobReply;
import dev.spur.cli.Invocation;
import dev.spur.model.notation.Timestamps;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// What `--test-only` says of a job that could run.
public final class Planned {
    private Planned() {}

    public static String sentence(Invocation in, TestJobReply reply) {
        var start = Instant.EPOCH.plus(reply.getStartMicros(), ChronoUnit.MICROS);
        return "%s: Job %s to start at %s using %d processors on nodes %s in partition %s"
                .formatted(
                        in.program(),
                        Integer.toUnsignedString(reply.getJobId()),
                        Timestamps.format(start, in.zone()),
                        reply.getCpus(),
                        reply.getNodes(),
                        reply.getPartition());
    }
}
