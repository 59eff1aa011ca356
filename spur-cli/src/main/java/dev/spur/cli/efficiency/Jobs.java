package dev.spur.cli.efficiency;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepUsageNow;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.history.JobHistories;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.NotationException;
import java.util.List;

/// Finds jobs, and asks the nodes about those that run.
final class Jobs {
    private final Invocation in;
    private final ControllerClient client;

    Jobs(Invocation in, ControllerClient client) {
        this.in = in;
        this.client = client;
    }

    List<JobEfficiency> find(RecordQuery query) {
        var found = JobHistories.find(in, client, query.toBuilder().setSteps(true).build());
        var now = in.clock().instant().toEpochMilli() * 1_000;
        var live = live(found.jobs());
        return found.jobs().stream()
                .map(job -> JobEfficiency.of(job, found.tres(), live, now))
                .toList();
    }

    static String id(String text) {
        try {
            return JobSelector.parse(text).toString();
        } catch (NotationException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    /// What is not known of a running job is left out: its owner's and operators' are the numbers.
    private List<StepUsageNow> live(List<JobHistory> jobs) {
        var running =
                jobs.stream()
                        .map(JobHistory::getJob)
                        .filter(job -> job.getStartMicros() != 0 && job.getEndMicros() == 0)
                        .map(job -> Integer.toUnsignedString(job.getJobId()))
                        .toList();
        if (running.isEmpty()) {
            return List.of();
        }
        var request = GetStepUsageRequest.newBuilder().addAllIds(running).setAllSteps(true).build();
        try {
            return client.call(controller -> controller.getStepUsage(request)).getStepsList();
        } catch (ControllerException _) {
            return List.of();
        }
    }
}
