package dev.spur.rest.slurm;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.view.DataVersion;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.Surroundings;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/// One operation asked for, with what it may do to be answered.
final class SlurmCall {
    private final Request request;
    private final Caller.Known caller;
    private final DataVersion version;
    private final Cluster cluster;
    private final List<String> warnings = new ArrayList<>();

    SlurmCall(Request request, Caller.Known caller, DataVersion version, Cluster cluster) {
        this.request = request;
        this.caller = caller;
        this.version = version;
        this.cluster = cluster;
    }

    Request request() {
        return request;
    }

    Caller.Known caller() {
        return caller;
    }

    Cluster cluster() {
        return cluster;
    }

    ControllerClient client() {
        return cluster.as(caller);
    }

    Body body() {
        return Body.of(request);
    }

    Surroundings surroundings(long nowMicros) {
        return cluster.surroundings(caller, nowMicros);
    }

    /// The name by which the cluster knows a repetition of this request.
    String requestId() {
        return request.header("idempotency-key")
                .filter(key -> key.matches("[\\x21-\\x7e]{1,64}"))
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    void warn(String text) {
        warnings.add(text);
    }

    /// The collections come whole, whenever something was changed last.
    void warnAboutUpdateTime() {
        request.parameter("update_time")
                .filter(text -> !text.equals("0"))
                .ifPresent(_ -> warn("update_time is not looked at: all is listed"));
    }

    /// An answer whose payload is small.
    Reply answer(Consumer<JsonText> payload) {
        return answer(200, payload, List.of());
    }

    /// An answer to something that was not done, or not all of it.
    Reply answer(int status, Consumer<JsonText> payload, List<SlurmError> errors) {
        var json = new JsonText().raw('{');
        payload.accept(json);
        finish(json, errors);
        return Reply.json(status, json);
    }

    /// An answer that leaves as it is written.
    Reply stream(SlurmStream payload) {
        return Reply.stream(
                Reply.JSON,
                out -> {
                    var json = new JsonText().raw('{');
                    payload.write(json, out);
                    finish(json, List.of());
                    json.flushTo(out);
                });
    }

    private void finish(JsonText json, List<SlurmError> errors) {
        json.raw("\"meta\":");
        SlurmMeta.write(json, request, caller.user(), version, cluster.name(caller));
        json.raw(",\"errors\":");
        SlurmError.write(json, errors);
        json.raw(",\"warnings\":[");
        for (var warning : warnings) {
            json.raw("{\"description\":").text(warning).raw(",\"source\":");
            json.text(request.path()).raw("},");
        }
        json.withoutLastComma().raw("]}");
    }
}
