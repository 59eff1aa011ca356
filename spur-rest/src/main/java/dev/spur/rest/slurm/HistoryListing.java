package dev.spur.rest.slurm;

import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.view.HistoryTable;
import dev.spur.api.view.SlurmLayout;
import dev.spur.api.view.Surroundings;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Jobs of the past, and how the keeper of them is.
final class HistoryListing {
    private static final long MICROS = 1_000_000;

    /// What the question may ask for and no record answers.
    private static final List<String> NOT_USED =
            List.of(
                    "scheduler_unset",
                    "scheduled_on_submit",
                    "scheduled_by_main",
                    "scheduled_by_backfill",
                    "job_started",
                    "exit_code",
                    "disable_wait_for_result",
                    "show_batch_script",
                    "show_job_environment",
                    "format",
                    "reason",
                    "reservation_id");

    private HistoryListing() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurmdb_get_jobs", call -> list(call, query(call).build()));
        operations.put("slurmdb_get_job", HistoryListing::one);
        operations.put("slurmdb_get_diag", HistoryListing::diag);
        operations.put("slurmdb_get_ping", HistoryListing::ping);
    }

    private static Reply one(SlurmCall call) {
        var id = JobListing.id(call);
        return list(
                call,
                RecordQuery.newBuilder().addIds(id).setSteps(true).setDuplicates(true).build());
    }

    private static RecordQuery.Builder query(SlurmCall call) {
        var request = call.request();
        for (var name : NOT_USED) {
            if (request.isSet(name)) {
                call.warn("%s is not looked at".formatted(name));
            }
        }
        var query =
                RecordQuery.newBuilder()
                        .addAllAccounts(request.list("account"))
                        .addAllClusters(request.list("cluster"))
                        .addAllConstraints(request.list("constraints"))
                        .addAllGroups(request.list("groups"))
                        .addAllNames(request.list("job_name"))
                        .addAllPartitions(request.list("partition"))
                        .addAllQos(request.list("qos"))
                        .addAllReservations(request.list("reservation"))
                        .addAllStates(
                                request.list("state").stream()
                                        .map(state -> state.toUpperCase(Locale.ROOT))
                                        .toList())
                        .addAllIds(request.list("step").stream().map(HistoryListing::step).toList())
                        .addAllNodes(request.list("node"))
                        .addAllUsers(request.list("users"))
                        .addAllWckeys(request.list("wckey"))
                        .addAllAssociationIds(
                                request.list("association").stream()
                                        .map(HistoryListing::number)
                                        .toList())
                        .setDuplicates(request.isSet("show_duplicates"))
                        .setSteps(!request.isSet("skip_steps"));
        query.setFromMicros(instant(request, "start_time"));
        query.setUntilMicros(instant(request, "end_time"));
        return query;
    }

    private static String step(String text) {
        if (!text.matches("[0-9]{1,9}([_+][0-9]{1,9})?(\\.[a-z0-9]{1,20})?")) {
            throw Refusal.badQuery("step must be like 12, 12_3 or 12.batch");
        }
        return text;
    }

    private static int number(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw Refusal.badQuery("association must be a number");
        }
        return Integer.parseInt(text);
    }

    /// Seconds since the epoch, or a time as people write it.
    private static long instant(Request request, String name) {
        var text = request.parameter(name).orElse("");
        if (text.isEmpty()) {
            return 0;
        }
        try {
            if (text.matches("(uts)?[0-9]{1,12}")) {
                return Long.parseLong(text.replace("uts", "")) * MICROS;
            }
            if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
                return LocalDateTime.parse(text + "T00:00:00")
                                .atZone(ZoneId.systemDefault())
                                .toEpochSecond()
                        * MICROS;
            }
            return text.endsWith("Z")
                    ? Instant.parse(text).getEpochSecond() * MICROS
                    : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toEpochSecond()
                            * MICROS;
        } catch (DateTimeParseException e) {
            throw Refusal.badQuery(
                    "%s must be seconds since 1970, or as 2026-01-31T12:00:00".formatted(name));
        }
    }

    private static Reply list(SlurmCall call, RecordQuery query) {
        var found = call.cluster().histories(call.caller(), query);
        if (query.getIdsCount() == 1 && found.jobs().isEmpty()) {
            throw Refusal.of(
                    404, ErrorCode.INVALID_JOB, "there is no such job, or it is not yours to see");
        }
        if (found.withoutService() != null) {
            call.warn(
                    "%s: only jobs that the controller still knows are listed"
                            .formatted(found.withoutService().getMessage()));
        } else if (found.withoutController() != null) {
            call.warn(
                    "%s: jobs of the last seconds may be missing"
                            .formatted(found.withoutController().getMessage()));
        }
        var now = Instant.now();
        var surroundings =
                Surroundings.of(found.cluster(), now.getEpochSecond() * MICROS, found.tres());
        return call.stream((json, out) -> {
            json.raw("\"jobs\":[");
            var layout = SlurmLayout.of(HistoryTable.JOBS);
            for (var each : found.jobs()) {
                layout.write(each, json, surroundings);
                if (json.size() >= SlurmStream.PIECE) {
                    json.flushTo(out);
                }
                json.raw(',');
            }
            json.withoutLastComma().raw("],");
        });
    }

    private static Reply diag(SlurmCall call) {
        var stats =
                call.cluster()
                        .history(call.caller())
                        .call(history -> history.stats(HistoryStatsRequest.getDefaultInstance()));
        return call.answer(json -> {
            json.raw("\"statistics\":{\"time_start\":").number(stats.getSinceMicros() / MICROS);
            json.raw(",\"rollups\":{\"hourly\":{\"count\":").number(stats.getRollupCycles());
            json.raw(",\"last_run\":").number(stats.getRollupLastMicros() / MICROS);
            json.raw(",\"duration\":{\"last\":").number(stats.getRollupLastTookMicros());
            json.raw(",\"max\":").number(stats.getRollupMaxMicros());
            json.raw(",\"time\":").number(stats.getRollupTotalMicros()).raw("}}},\"RPCs\":[");
            stats.getCallsList().stream()
                    .filter(each -> each.getUser().isEmpty())
                    .forEach(each -> {
                        json.raw("{\"rpc\":").text(each.getName());
                        calls(json, each.getCount(), each.getTotalMicros());
                    });
            json.withoutLastComma().raw("],\"users\":[");
            stats.getCallsList().stream()
                    .filter(each -> !each.getUser().isEmpty())
                    .forEach(each -> {
                        json.raw("{\"user\":").text(each.getUser());
                        calls(json, each.getCount(), each.getTotalMicros());
                    });
            json.withoutLastComma().raw("]},");
        });
    }

    private static void calls(dev.spur.api.view.JsonText json, long count, long micros) {
        json.raw(",\"count\":").number(count).raw(",\"time\":{\"average\":");
        json.number(micros / Math.max(1, count)).raw(",\"total\":").number(micros).raw("}},");
    }

    private static Reply ping(SlurmCall call) {
        var began = System.nanoTime();
        var address = call.cluster().ping(call.caller()).getAccountingAddress();
        var responds = true;
        try {
            call.cluster()
                    .history(call.caller())
                    .call(history -> history.stats(HistoryStatsRequest.getDefaultInstance()));
        } catch (Refusal | dev.spur.api.client.ControllerException _) {
            responds = false;
        }
        var isThere = responds;
        var micros = (System.nanoTime() - began) / 1000;
        return call.answer(json -> {
            json.raw("\"pings\":[{\"hostname\":");
            json.text(address.replaceFirst(":[0-9]+$", ""));
            json.raw(",\"responding\":").flag(isThere);
            json.raw(",\"latency\":").number(micros);
            json.raw(",\"primary\":true}],");
        });
    }
}
