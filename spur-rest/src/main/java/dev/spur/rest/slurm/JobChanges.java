package dev.spur.rest.slurm;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.view.JsonText;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.Signal;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.job.JobUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Jobs that are changed, signalled or ended.
final class JobChanges {
    private static final int KILL = Signal.KILL.number();

    private JobChanges() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurm_post_job", JobChanges::update);
        operations.put("slurm_delete_job", JobChanges::end);
        operations.put("slurm_delete_jobs", JobChanges::endAll);
    }

    private static Reply update(SlurmCall call) {
        var id = JobListing.id(call);
        var changes = JobUpdate.of(call.body(), call::warn);
        var results = new ArrayList<JobActionResult>();
        if (!changes.keys().isEmpty()) {
            results.addAll(
                    call.client()
                            .call(controller ->
                                    controller.updateJobs(
                                            UpdateJobsRequest.newBuilder()
                                                    .setRequestId(call.requestId())
                                                    .addIds(id)
                                                    .putAllChanges(changes.keys())
                                                    .build()))
                            .getResultsList());
        }
        changes.hold().ifPresent(hold -> results.addAll(hold(call, id, hold)));
        if (results.isEmpty()) {
            throw Refusal.unreadable("the body changes nothing");
        }
        var errors = errors(results, call);
        return call.answer(
                errors.isEmpty() ? 200 : status(results),
                json -> {
                    json.raw("\"results\":[");
                    results.forEach(result -> result(json, result));
                    json.withoutLastComma().raw("],");
                },
                errors);
    }

    private static List<JobActionResult> hold(SlurmCall call, String id, boolean hold) {
        var requestId = call.requestId() + (hold ? "-hold" : "-release");
        return call.client()
                .call(controller ->
                        hold
                                ? controller.holdJobs(
                                        HoldJobsRequest.newBuilder()
                                                .setRequestId(requestId)
                                                .addIds(id)
                                                .build())
                                : controller.releaseJobs(
                                        ReleaseJobsRequest.newBuilder()
                                                .setRequestId(requestId)
                                                .addIds(id)
                                                .build()))
                .getResultsList();
    }

    private static void result(JsonText json, JobActionResult result) {
        json.raw("{\"job_id\":").number(number(result.getId()));
        json.raw(",\"step_id\":\"\",\"error\":").text(isDone(result) ? "No error" : text(result));
        json.raw(",\"error_code\":").number(isDone(result) ? 0 : errno(result));
        json.raw(",\"why\":").text(isDone(result) ? "" : result.getMessage()).raw("},");
    }

    private static Reply end(SlurmCall call) {
        var id = JobListing.id(call);
        var flags = call.request().list("flags");
        return told(
                call,
                end(call, List.of(id), null, call.request().parameter("signal").orElse(""), flags));
    }

    private static Reply endAll(SlurmCall call) {
        var body = call.body();
        var ids = body.words("jobs").stream().map(JobListing::id).toList();
        var filter = filter(body);
        if (ids.isEmpty() && filter.equals(JobFilter.getDefaultInstance())) {
            throw Refusal.unreadable(
                    "the body names no jobs: give \"jobs\", or what they have in common");
        }
        return told(
                call,
                end(
                        call,
                        ids,
                        filter.equals(JobFilter.getDefaultInstance()) ? null : filter,
                        body.text("signal").orElse(""),
                        body.words("flags")));
    }

    private static JobFilter filter(Body body) {
        var filter =
                JobFilter.newBuilder()
                        .addAllAccounts(body.words("account"))
                        .addAllNames(body.words("job_name"))
                        .addAllPartitions(body.words("partition"))
                        .addAllQos(body.words("qos"))
                        .addAllNodes(body.words("nodes"))
                        .addAllStates(body.words("job_state"))
                        .addAllUsers(body.words("user_name"))
                        .addAllUsers(body.words("user_id"));
        body.text("reservation").ifPresent(filter::setReservation);
        body.text("wckey").ifPresent(filter::setWckey);
        return filter.build();
    }

    private static List<JobActionResult> end(
            SlurmCall call,
            List<String> ids,
            @org.jspecify.annotations.Nullable JobFilter filter,
            String signal,
            List<String> flags) {
        var number = signal.isEmpty() ? KILL : signal(signal);
        if (number == KILL) {
            var request =
                    CancelJobsRequest.newBuilder()
                            .setRequestId(call.requestId())
                            .addAllIds(ids)
                            .setHurry(flags.contains("HURRY"));
            if (filter != null) {
                request.setFilter(filter);
            }
            return call.client()
                    .call(controller -> controller.cancelJobs(request.build()))
                    .getResultsList();
        }
        var request =
                SignalJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addAllIds(ids)
                        .setSignal(number)
                        .setTarget(target(flags));
        if (filter != null) {
            request.setFilter(filter);
        }
        return call.client()
                .call(controller -> controller.signalJobs(request.build()))
                .getResultsList();
    }

    private static int signal(String text) {
        try {
            return Signal.parse(text).number();
        } catch (IllegalArgumentException e) {
            throw Refusal.badQuery("there is no such signal");
        }
    }

    private static SignalTarget target(List<String> flags) {
        if (flags.contains("FULL_JOB")) {
            return SignalTarget.SIGNAL_TARGET_FULL;
        }
        return flags.contains("BATCH_JOB")
                ? SignalTarget.SIGNAL_TARGET_BATCH
                : SignalTarget.SIGNAL_TARGET_STEPS;
    }

    private static Reply told(SlurmCall call, List<JobActionResult> results) {
        var errors = errors(results, call);
        return call.answer(
                errors.isEmpty() ? 200 : status(results),
                json -> {
                    json.raw("\"status\":[");
                    for (var result : results) {
                        json.raw("{\"error\":{\"string\":");
                        json.text(isDone(result) ? "No error" : text(result));
                        json.raw(",\"code\":").number(isDone(result) ? 0 : errno(result));
                        json.raw(",\"message\":").text(isDone(result) ? "" : result.getMessage());
                        json.raw("},\"step_id\":").text(result.getId());
                        json.raw(",\"job_id\":{\"set\":true,\"infinite\":false,\"number\":");
                        json.number(number(result.getId()));
                        json.raw("},\"federation\":{\"sibling\":\"\"}},");
                    }
                    json.withoutLastComma().raw("],");
                },
                errors);
    }

    private static boolean isDone(JobActionResult result) {
        return result.getOutcome() == JobActionOutcome.JOB_ACTION_DONE;
    }

    private static List<SlurmError> errors(List<JobActionResult> results, SlurmCall call) {
        return results.stream()
                .filter(result -> !isDone(result))
                .map(result ->
                        new SlurmError(
                                result.getMessage(),
                                errno(result),
                                text(result),
                                call.request().path()))
                .toList();
    }

    /// That of the worst result.
    private static int status(List<JobActionResult> results) {
        return results.stream()
                .map(JobActionResult::getOutcome)
                .mapToInt(outcome ->
                        switch (outcome) {
                            case JOB_ACTION_NOT_FOUND -> 404;
                            case JOB_ACTION_DENIED -> 403;
                            case JOB_ACTION_ALREADY_ENDED, JOB_ACTION_REFUSED, UNRECOGNIZED -> 422;
                            case JOB_ACTION_DONE -> 200;
                        })
                .max()
                .orElse(200);
    }

    private static int errno(JobActionResult result) {
        return result.getSlurmErrno() != 0
                ? result.getSlurmErrno()
                : switch (result.getOutcome()) {
                    case JOB_ACTION_NOT_FOUND -> ErrorCode.INVALID_JOB.slurmErrno();
                    case JOB_ACTION_DENIED -> ErrorCode.ACCESS_DENIED.slurmErrno();
                    case JOB_ACTION_ALREADY_ENDED -> ErrorCode.ALREADY_DONE.slurmErrno();
                    case JOB_ACTION_REFUSED, JOB_ACTION_DONE, UNRECOGNIZED ->
                            ErrorCode.INVALID_REQUEST.slurmErrno();
                };
    }

    private static String text(JobActionResult result) {
        var errno = errno(result);
        for (var code : ErrorCode.values()) {
            if (code.slurmErrno() == errno) {
                return code.text();
            }
        }
        return result.getMessage();
    }

    /// `12` of `12_3`
    static long number(String id) {
        var end = 0;
        while (end < id.length() && Character.isDigit(id.charAt(end)) && end < 10) {
            end++;
        }
        return end == 0 ? 0 : Long.parseLong(id.substring(0, end));
    }
}
