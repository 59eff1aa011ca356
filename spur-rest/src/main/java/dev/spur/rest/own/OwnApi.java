package dev.spur.rest.own;

import dev.spur.api.view.JsonText;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.http.Api;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import dev.spur.rest.http.Route;
import java.util.ArrayList;
import java.util.List;

/// `/api/v1`: for people and for programs that people write.
public final class OwnApi implements Api<Caller> {
    private static final String PROBLEM = "application/problem+json";

    private final Cluster cluster;
    private final List<OwnRoute> routes = new ArrayList<>();

    public OwnApi(Cluster cluster) {
        this.cluster = cluster;
        routes.addAll(ClusterRoutes.all());
        routes.addAll(JobRoutes.all());
    }

    @Override
    public List<Route<Caller>> routes() {
        return routes.stream()
                .map(route ->
                        new Route<Caller>(
                                route.method(),
                                route.path(),
                                !route.isOpen(),
                                (request, caller) ->
                                        route.operation()
                                                .answer(new OwnCall(request, caller, cluster))))
                .toList();
    }

    @Override
    public boolean owns(String path) {
        return path.startsWith("/api/");
    }

    @Override
    public Reply refused(Request request, Refusal refusal) {
        var json = new JsonText().raw("{\"type\":\"about:blank\",\"title\":");
        json.text(refusal.text()).raw(",\"status\":").number(refusal.status());
        json.raw(",\"code\":").text(refusal.code());
        json.raw(",\"errno\":").number(refusal.errno());
        json.raw(",\"because\":").text(refusal.because());
        json.raw(",\"remedy\":").text(refusal.remedy().orElse("")).raw('}');
        return Reply.of(refusal.status(), PROBLEM, json.toBytes());
    }
}
