package dev.spur.rest.slurm;

import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.view.JobTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.SlurmLayout;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/// Jobs, as they are.
final class JobListing {
    private JobListing() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurm_get_jobs", JobListing::all);
        operations.put("slurm_get_jobs_state", JobListing::states);
        operations.put("slurm_get_job", JobListing::one);
    }

    private static Reply all(SlurmCall call) {
        call.warnAboutUpdateTime();
        return list(call, List.of());
    }

    private static Reply one(SlurmCall call) {
        call.warnAboutUpdateTime();
        return list(call, List.of(id(call)));
    }

    private static Reply states(SlurmCall call) {
        return list(call, call.request().list("job_id").stream().map(JobListing::id).toList());
    }

    /// The job that a path names.
    static String id(SlurmCall call) {
        return id(call.request().value("job_id"));
    }

    static String id(String text) {
        if (!text.matches("[0-9]{1,9}([_+][0-9]{1,9})?")) {
            throw Refusal.of(404, ErrorCode.INVALID_JOB, "there is no such job");
        }
        return text;
    }

    private static Reply list(SlurmCall call, List<String> ids) {
        var request =
                ListJobsRequest.newBuilder()
                        .addAllIds(ids)
                        .addStates("ALL")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        return call.stream((json, out) -> {
            json.raw("\"jobs\":[");
            var now = new long[1];
            call.client()
                    .each(
                            controller -> controller.listJobs(request),
                            page -> {
                                now[0] = page.getNowMicros();
                                write(page, call, json, out);
                            });
            json.withoutLastComma().raw("],\"last_backfill\":");
            time(json, 0);
            json.raw(",\"last_update\":");
            time(json, now[0]);
            json.raw(',');
        });
    }

    private static void write(ListJobsReply page, SlurmCall call, JsonText json, OutputStream out) {
        var layout = SlurmLayout.of(JobTable.JOBS);
        var surroundings = call.surroundings(page.getNowMicros());
        for (var job : page.getJobsList()) {
            layout.write(job, json, surroundings);
            // The comma may have to go yet, so a piece never ends with it.
            if (json.size() >= SlurmStream.PIECE) {
                flush(json, out);
            }
            json.raw(',');
        }
    }

    private static void flush(JsonText json, OutputStream out) {
        try {
            json.flushTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void time(JsonText json, long micros) {
        json.raw("{\"set\":true,\"infinite\":false,\"number\":")
                .number(Math.floorDiv(micros, 1_000_000))
                .raw('}');
    }
}
