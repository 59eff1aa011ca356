package dev.spur.rest.slurm;

import dev.spur.api.view.DataVersion;
import dev.spur.api.view.JsonText;
import dev.spur.rest.http.Request;

/// The `meta` of an answer: what answered, to whom.
final class SlurmMeta {
    private SlurmMeta() {}

    static void write(
            JsonText json, Request request, String user, DataVersion version, String cluster) {
        var plugin = request.path().startsWith("/slurmdb") ? "slurmdbd" : "slurmctld";
        json.raw("{\"plugin\":{\"type\":").text("openapi/" + plugin);
        json.raw(",\"name\":").text("Slurm OpenAPI " + plugin);
        json.raw(",\"data_parser\":").text("data_parser/" + version.word());
        json.raw(",\"accounting_storage\":\"accounting_storage/slurmdbd\"}");
        json.raw(",\"client\":{\"source\":\"\",\"user\":").text(user);
        json.raw(",\"group\":\"\"},\"command\":[],\"slurm\":");
        version.write(json, cluster);
        json.raw('}');
    }
}
