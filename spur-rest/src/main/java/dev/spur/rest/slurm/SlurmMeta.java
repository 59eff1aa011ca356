package dev.spur.rest.slurm;

import dev.spur.api.view.JsonText;
import dev.spur.rest.http.Request;

/// The `meta` of an answer: what answered, to whom.
final class SlurmMeta {
    private SlurmMeta() {}

    static void write(
            JsonText json, Request request, String user, SlurmVersion version, String cluster) {
        var plugin = request.path().startsWith("/slurmdb") ? "slurmdbd" : "slurmctld";
        json.raw("{\"plugin\":{\"type\":").text("openapi/" + plugin);
        json.raw(",\"name\":").text("Slurm OpenAPI " + plugin);
        json.raw(",\"data_parser\":").text("data_parser/" + version.word());
        json.raw(",\"accounting_storage\":\"accounting_storage/slurmdbd\"}");
        json.raw(",\"client\":{\"source\":\"\",\"user\":").text(user);
        json.raw(",\"group\":\"\"},\"command\":[],\"slurm\":{\"version\":{\"major\":");
        json.text(version.major()).raw(",\"micro\":").text(version.micro());
        json.raw(",\"minor\":").text(version.minor()).raw("},\"release\":");
        json.text(version.release()).raw(",\"cluster\":").text(cluster).raw("}}");
    }
}
