package dev.spur.api.view;

import static dev.spur.api.view.EntityTable.unsigned;

import dev.spur.api.v1.ExplainJobReply;
import dev.spur.api.v1.JobAhead;
import dev.spur.api.v1.JobHolding;
import dev.spur.api.v1.PlannedJob;
import dev.spur.api.v1.Suggestion;

/// What the scheduler thinks of jobs that wait.
public final class PlanTables {
    public static final EntityTable<PlannedJob> PLAN =
            EntityTable.<PlannedJob>of("planned job", "job_info")
                    .number("id", "", "number of the job", job -> unsigned(job.getJobId()))
                    .numberIf(
                            "array_id",
                            "",
                            "number of its array",
                            job -> job.getArrayJobId() != 0,
                            job -> unsigned(job.getArrayJobId()))
                    .numberIf(
                            "array_task",
                            "",
                            "its place in the array",
                            PlannedJob::hasArrayTaskId,
                            job -> unsigned(job.getArrayTaskId()))
                    .text("array_waiting", "", "tasks that wait", PlannedJob::getArrayPending)
                    .text("partition", "", "partition", PlannedJob::getPartition)
                    .text("reason", "", "why it waits", PlannedJob::getReason)
                    .text("reason_detail", "", "more about that", PlannedJob::getReasonDetail)
                    .positive(
                            "place",
                            "",
                            "place in the queue; 1 is looked at first",
                            job -> unsigned(job.getPlace()))
                    .instant(
                            "starts_at",
                            "",
                            "when it is expected to start",
                            PlannedJob::getStartMicros)
                    .text("nodes", "", "nodes it is expected to get", PlannedJob::getNodes)
                    .instant(
                            "considered_at",
                            "",
                            "when the scheduler looked at it last",
                            PlannedJob::getEvaluatedMicros)
                    .build();

    private static final EntityTable<JobAhead> AHEAD =
            EntityTable.<JobAhead>of("job ahead", "job_info")
                    .text("id", "", "job", JobAhead::getId)
                    .text("user", "", "whose", JobAhead::getUser)
                    .text("partition", "", "partition", JobAhead::getPartition)
                    .count("priority", "", "priority", JobAhead::getPriority)
                    .instant(
                            "starts_at",
                            "",
                            "when it is expected to start",
                            JobAhead::getStartMicros)
                    .build();

    private static final EntityTable<JobHolding> HOLDING =
            EntityTable.<JobHolding>of("job in the way", "job_info")
                    .text("id", "", "job", JobHolding::getId)
                    .text("user", "", "whose", JobHolding::getUser)
                    .count("nodes", "", "nodes it has that could be used", JobHolding::getNodes)
                    .instant("until", "", "when it ends at the latest", JobHolding::getUntilMicros)
                    .build();

    private static final EntityTable<Suggestion> SUGGESTIONS =
            EntityTable.<Suggestion>of("suggestion", "job_info")
                    .text("text", "", "what to change", Suggestion::getText)
                    .words(
                            "update",
                            "",
                            "for scontrol update, Key=Value",
                            suggestion ->
                                    suggestion.getUpdateMap().entrySet().stream()
                                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                                            .sorted()
                                            .toList())
                    .flag("release", "", "whether releasing it does it", Suggestion::getRelease)
                    .text("option", "", "option to submit it with", Suggestion::getOption)
                    .instant(
                            "starts_at", "", "when it would start then", Suggestion::getStartMicros)
                    .build();

    public static final EntityTable<ExplainJobReply> EXPLANATION =
            EntityTable.<ExplainJobReply>of("explanation", "job_info")
                    .text("state", "", "state of the job", ExplainJobReply::getState)
                    .text("because", "", "why it waits", ExplainJobReply::getBecause)
                    .list(
                            "plan",
                            "",
                            "what is planned for it",
                            PLAN,
                            reply -> java.util.List.of(reply.getPlan()))
                    .list(
                            "ahead",
                            "",
                            "jobs looked at before it",
                            AHEAD,
                            ExplainJobReply::getAheadList)
                    .count("ahead_total", "", "how many those are", ExplainJobReply::getAheadTotal)
                    .list(
                            "in_the_way",
                            "",
                            "jobs on nodes that it could use",
                            HOLDING,
                            ExplainJobReply::getHoldingList)
                    .count(
                            "in_the_way_total",
                            "",
                            "how many those are",
                            ExplainJobReply::getHoldingTotal)
                    .list(
                            "suggestions",
                            "",
                            "what would start it sooner",
                            SUGGESTIONS,
                            ExplainJobReply::getSuggestionsList)
                    .flag(
                            "exhausted",
                            "",
                            "whether there was more to try than was tried",
                            ExplainJobReply::getExhausted)
                    .count("queued", "", "jobs in the queue", ExplainJobReply::getQueued)
                    .build();

    private PlanTables() {}
}
