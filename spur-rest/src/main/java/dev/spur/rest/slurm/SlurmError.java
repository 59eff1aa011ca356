package dev.spur.rest.slurm;

import dev.spur.api.view.JsonText;
import dev.spur.rest.http.Refusal;
import java.util.List;

/// One of an answer's `errors`.
record SlurmError(String description, int number, String error, String source) {
    static SlurmError of(Refusal refusal, String source) {
        return new SlurmError(
                refusal.remedy()
                        .map(remedy -> refusal.because() + ". " + remedy)
                        .orElseGet(refusal::because),
                refusal.errno(),
                refusal.text(),
                source);
    }

    static void write(JsonText json, List<SlurmError> errors) {
        json.raw('[');
        for (var error : errors) {
            json.raw("{\"description\":").text(error.description());
            json.raw(",\"error_number\":").number(error.number());
            json.raw(",\"error\":").text(error.error());
            json.raw(",\"source\":").text(error.source()).raw("},");
        }
        json.withoutLastComma().raw(']');
    }
}
