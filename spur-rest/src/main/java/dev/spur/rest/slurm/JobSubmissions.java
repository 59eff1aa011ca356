package dev.spur.rest.slurm;

import dev.spur.api.v1.JobKind;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.job.JobDescription;
import java.util.List;
import java.util.Map;

/// New jobs.
final class JobSubmissions {
    private static final JobDescription.Defaults STRICT = new JobDescription.Defaults(true);

    private JobSubmissions() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurm_post_job_submit", JobSubmissions::submit);
        operations.put("slurm_post_job_allocate", JobSubmissions::allocate);
    }

    private static Reply submit(SlurmCall call) {
        var body = call.body();
        var parts = body.object("job").map(List::of).orElseGet(() -> body.objects("jobs"));
        return send(call, parts, JobKind.JOB_KIND_BATCH, body.text("script").orElse(""));
    }

    private static Reply allocate(SlurmCall call) {
        var body = call.body();
        var parts = body.object("job").map(List::of).orElseGet(() -> body.objects("hetjob"));
        return send(call, parts, JobKind.JOB_KIND_ALLOCATION, "");
    }

    private static Reply send(SlurmCall call, List<Body> parts, JobKind kind, String script) {
        if (parts.isEmpty()) {
            throw Refusal.unreadable("the body describes no job: give \"job\"");
        }
        var request =
                new JobDescription(parts, call::warn)
                        .request(call.caller(), kind, script, call.requestId(), STRICT);
        var reply = call.client().call(controller -> controller.submitJob(request));
        reply.getWarningsList().forEach(call::warn);
        return call.answer(json -> {
            json.raw("\"job_id\":").number(Integer.toUnsignedLong(reply.getJobId()));
            if (kind == JobKind.JOB_KIND_BATCH) {
                json.raw(",\"step_id\":\"batch\"");
            }
            json.raw(",\"job_submit_user_msg\":")
                    .text(String.join("\n", reply.getWarningsList()))
                    .raw(',');
        });
    }
}
