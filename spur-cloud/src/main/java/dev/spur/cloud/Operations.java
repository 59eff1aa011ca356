package dev.spur.cloud;

import dev.spur.cloud.access.Caller;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.util.List;
import java.util.function.BooleanSupplier;

/// What those who run the service ask it.
final class Operations {
    private final BooleanSupplier databaseAnswers;

    Operations(BooleanSupplier databaseAnswers) {
        this.databaseAnswers = databaseAnswers;
    }

    /// Readiness does not ask the controller: while that is away people still sign in, see their
    /// bills and what they launched.
    List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/healthz", "isAlive")
                        .tag("operations")
                        .says("Whether the process lives")
                        .answers(200, String.class)
                        .by(_ -> Answer.text("ok\n")),
                Endpoint.<Caller>get("/readyz", "isReady")
                        .tag("operations")
                        .says("Whether requests can be served: the database answers")
                        .answers(200, String.class)
                        .by(_ -> ready()));
    }

    private Answer ready() {
        if (!databaseAnswers.getAsBoolean()) {
            throw Problem.of(
                    503, "database-away", "The database does not answer.", "Wait, it is retried.");
        }
        return Answer.text("ready\n");
    }
}
