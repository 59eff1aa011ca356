package dev.spur.engine.limit;

import dev.spur.engine.tres.TresVector;
import java.time.Instant;
import java.util.Arrays;

/// What jobs have now under one limit, counted job by job as they come and go.
final class InUse {
    static final InUse NOTHING = new InUse();

    private int running;
    private int submitted;
    private TresVector amounts = TresVector.ZERO;

    /// Amounts times the second at which each job ends at the latest. What running jobs may still
    /// use is this less what they have times now. The sums may leave the range of numbers and come
    /// back: only the difference counts, and that is exact.
    private int[] ids = new int[0];

    private long[] ends = new long[0];

    void submit(int tasks) {
        submitted += tasks;
    }

    /// @param sign 1 when it starts, -1 when it ends
    void run(TresVector of, long endSecond, int sign) {
        running += sign;
        amounts = sign > 0 ? amounts.plus(of) : amounts.minus(of);
        of.forEach((id, amount) -> addEnd(id, sign * amount * endSecond));
    }

    private void addEnd(int id, long value) {
        for (var i = 0; i < ids.length; i++) {
            if (ids[i] == id) {
                ends[i] += value;
                return;
            }
        }
        ids = Arrays.copyOf(ids, ids.length + 1);
        ends = Arrays.copyOf(ends, ends.length + 1);
        ids[ids.length - 1] = id;
        ends[ends.length - 1] = value;
    }

    boolean isNothing() {
        return running == 0 && submitted == 0;
    }

    int running() {
        return running;
    }

    int submitted() {
        return submitted;
    }

    TresVector amounts() {
        return amounts;
    }

    /// What the running jobs would use of it if all ran to their limits.
    long runSeconds(int id, Instant now) {
        for (var i = 0; i < ids.length; i++) {
            if (ids[i] == id) {
                return Math.max(0, ends[i] - amounts.get(id) * now.getEpochSecond());
            }
        }
        return 0;
    }
}
