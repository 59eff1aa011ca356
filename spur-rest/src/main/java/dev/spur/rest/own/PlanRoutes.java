package dev.spur.rest.own;

import dev.spur.api.v1.ExplainJobRequest;
import dev.spur.api.v1.GetPlanRequest;
import dev.spur.api.v1.PlannedJob;
import dev.spur.api.view.PlanTables;
import dev.spur.rest.http.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What the scheduler thinks of the jobs that wait.
final class PlanRoutes {
    private PlanRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/plan", "getPlan")
                        .says(
                                "Plan",
                                "The jobs that wait, in the order of the queue: why, and when and where they are expected to start.")
                        .lists("plan", PlanTables.PLAN)
                        .text("user", "only of these users, by comma")
                        .text("partition", "only in these partitions, by comma")
                        .by(PlanRoutes::plan),
                OwnRoute.get("/api/v1/jobs/{id}/explanation", "explainJob")
                        .says("Plan", "Why a job waits, and what would start it sooner.")
                        .answers(PlanTables.EXPLANATION)
                        .by(PlanRoutes::explain));
    }

    private static Reply plan(OwnCall call) {
        var request =
                GetPlanRequest.newBuilder()
                        .addAllUsers(call.request().list("user"))
                        .addAllPartitions(call.request().list("partition"))
                        .build();
        var jobs = new ArrayList<PlannedJob>();
        var now = new long[1];
        call.client()
                .each(
                        controller -> controller.getPlan(request),
                        page -> {
                            now[0] = page.getNowMicros();
                            jobs.addAll(page.getJobsList());
                        });
        return call.page(
                "plan",
                PlanTables.PLAN,
                jobs,
                call.surroundings(now[0]),
                Set.of("user", "partition"));
    }

    private static Reply explain(OwnCall call) {
        var request = ExplainJobRequest.newBuilder().setId(JobRoutes.id(call)).build();
        var reply = call.client().call(controller -> controller.explainJob(request));
        return call.one(PlanTables.EXPLANATION, reply, reply.getNowMicros());
    }
}
