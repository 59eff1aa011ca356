package dev.spur.accounting.job;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.amount.TresAmounts;
import dev.spur.api.v1.JobRecord;
import dev.spur.model.notation.ArraySpec;
import dev.spur.model.notation.NotationException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What a job's row has beside the whole record: what is searched and summed up.
///
/// @param leader the array or heterogeneous job that it belongs to, else itself
/// @param part its place there
/// @param waitingCpus asked for by all tasks that wait in this row
public record JobRow(
        JobKey key,
        long leader,
        long part,
        @Nullable OffsetDateTime eligible,
        @Nullable OffsetDateTime started,
        OffsetDateTime ended,
        long waitingCpus,
        TresAmounts tres,
        JobRecord record) {
    private static final long LAST = Integer.MAX_VALUE;

    public static JobRow of(JobRecord record) {
        return new JobRow(
                JobKey.of(record),
                leader(record),
                part(record),
                secondOrNull(record.getEligibleMicros()),
                secondOrNull(record.getStartMicros()),
                record.getEndMicros() == 0 ? Times.NEVER : Times.second(record.getEndMicros()),
                Integer.toUnsignedLong(record.getReqCpus()) * waitingTasks(record),
                TresAmounts.of(record.getTresAllocatedMap()),
                record);
    }

    private static long leader(JobRecord record) {
        var array = Integer.toUnsignedLong(record.getArrayJobId());
        var het = Integer.toUnsignedLong(record.getHetJobId());
        return array != 0 ? array : het != 0 ? het : Integer.toUnsignedLong(record.getJobId());
    }

    /// Components in their order; tasks in theirs, and last those that still wait together.
    private static long part(JobRecord record) {
        if (record.getHetJobId() != 0) {
            return Integer.toUnsignedLong(record.getHetOffset());
        }
        if (record.hasArrayTaskId()) {
            return Integer.toUnsignedLong(record.getArrayTaskId());
        }
        return record.getArrayPending().isEmpty() ? 0 : LAST;
    }

    private static long waitingTasks(JobRecord record) {
        var waiting = record.getArrayPending();
        if (waiting.isEmpty()) {
            return 1;
        }
        try {
            return ArraySpec.parse(waiting).count();
        } catch (NotationException _) {
            return 1;
        }
    }

    private static @Nullable OffsetDateTime secondOrNull(long micros) {
        return micros == 0 ? null : Times.second(micros);
    }

    /// Whether it, or a former word of it, may have counted before a time.
    public boolean reachesInto(OffsetDateTime until) {
        return key.submitted().isBefore(until);
    }

    /// Whether both take the same of the same in each second that both live in.
    boolean weighsAs(JobRow other) {
        return Arrays.equals(tres.tres(), other.tres.tres())
                && Arrays.equals(tres.amounts(), other.tres.amounts())
                && waitingCpus == other.waitingCpus
                && record.getAssociationId() == other.record.getAssociationId()
                && record.getAccount().equals(other.record.getAccount())
                && record.getUserName().equals(other.record.getUserName())
                && record.getWckey().equals(other.record.getWckey())
                && record.getReservation().isEmpty() == other.record.getReservation().isEmpty();
    }
}
