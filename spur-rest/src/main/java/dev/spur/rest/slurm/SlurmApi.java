package dev.spur.rest.slurm;

import dev.spur.api.view.DataVersion;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.SlurmSchema;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.http.Api;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import dev.spur.rest.http.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// `/slurm/v0.0.NN` and `/slurmdb/v0.0.NN`: the operations of the schema, each with whom answers
/// it, and their OpenAPI document.
public final class SlurmApi implements Api<Caller> {
    /// Answers one operation.
    @FunctionalInterface
    interface Operation {
        Reply answer(SlurmCall call);
    }

    private final Cluster cluster;
    private final Map<String, Operation> operations = new HashMap<>();

    public SlurmApi(Cluster cluster) {
        this.cluster = cluster;
        JobListing.addTo(operations);
        JobSubmissions.addTo(operations);
        JobChanges.addTo(operations);
        ClusterListing.addTo(operations);
        AccountListing.addTo(operations);
        AccountChanges.addTo(operations);
        HistoryListing.addTo(operations);
        Reservations.addTo(operations);
    }

    @Override
    public List<Route<Caller>> routes() {
        var routes = new ArrayList<Route<Caller>>();
        for (var version : DataVersion.ALL) {
            for (var each : SlurmSchema.current().operations()) {
                var operation = operations.getOrDefault(each.id(), SlurmApi::notThere);
                routes.add(route(each.method(), version, version.path(each.path()), operation));
            }
        }
        var newer = DataVersion.ALL.getLast();
        routes.add(route("POST", newer, "/slurm/v0.0.43/reservation", Reservations::create));
        routes.add(route("POST", newer, "/slurm/v0.0.43/reservations/", Reservations::createAll));
        routes.add(
                route(
                        "DELETE",
                        newer,
                        "/slurm/v0.0.43/reservation/{reservation_name}",
                        Reservations::delete));
        for (var path : List.of("/openapi", "/openapi/v3", "/openapi.json", "/openapi.yaml")) {
            routes.add(
                    new Route<>(
                            "GET",
                            path,
                            false,
                            (_, _) -> Reply.of(200, Reply.JSON, SlurmOpenApi.DOCUMENT)));
        }
        return routes;
    }

    private Route<Caller> route(
            String method, DataVersion version, String path, Operation operation) {
        return new Route<>(
                method,
                path,
                true,
                (request, caller) ->
                        operation.answer(
                                new SlurmCall(request, (Caller.Known) caller, version, cluster)));
    }

    private static Reply notThere(SlurmCall call) {
        throw new Refusal(
                422,
                2036,
                "NOT_SUPPORTED",
                "Requested operation not supported on this system",
                "this release does not do that",
                "",
                0);
    }

    @Override
    public boolean owns(String path) {
        return path.startsWith("/slurm/") || path.startsWith("/slurmdb/");
    }

    @Override
    public Reply refused(Request request, Refusal refusal) {
        var json = new JsonText().raw("{\"meta\":");
        SlurmMeta.write(json, request, "", DataVersion.of(request.path()), "");
        json.raw(",\"errors\":");
        SlurmError.write(json, List.of(SlurmError.of(refusal, request.path())));
        json.raw(",\"warnings\":[]}");
        return Reply.json(refusal.status(), json);
    }
}
