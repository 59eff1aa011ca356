package dev.spur.controller.scheduling;

import dev.spur.engine.scheduling.Decision;
import dev.spur.model.JobId;
import dev.spur.model.PendingReason;
import dev.spur.model.Reason;
import java.time.Instant;
import java.util.List;

/// Passes as a test wants them.
public final class PlanFixture {
    private PlanFixture() {}

    /// A pass found that the job can start then.
    public static void expect(Plan plan, JobId job, Instant start) {
        plan.made(
                start,
                List.of(
                        new Decision.Wait(
                                job, Reason.of(PendingReason.RESOURCES), start, "node1")));
    }
}
