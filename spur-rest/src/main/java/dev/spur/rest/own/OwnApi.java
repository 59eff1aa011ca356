package dev.spur.rest.own;

import dev.spur.api.view.JsonText;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.http.Api;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import dev.spur.rest.http.Route;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
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
        routes.addAll(ReservationRoutes.all());
        routes.addAll(PlanRoutes.all());
        routes.addAll(OutputRoutes.all());
        routes.addAll(EventRoutes.all());
        routes.addAll(AccountRoutes.all());
        var document = new OwnOpenApi(routes).document();
        routes.add(
                OwnRoute.get("/api/v1/openapi.json", "getOpenApi")
                        .says("Documentation", "This API, for programs.")
                        .open()
                        .by(_ -> Reply.of(200, Reply.JSON, document)));
        routes.add(
                OwnRoute.get("/api/v1/docs", "getDocs")
                        .says("Documentation", "This API, for people, to try it.")
                        .open()
                        .by(_ -> DocsPage.reply()));
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
                                        tagged(
                                                request,
                                                route.operation()
                                                        .answer(
                                                                new OwnCall(
                                                                        request, caller,
                                                                        cluster)))))
                .toList();
    }

    /// What has not changed since the reader had it is not sent again.
    private static Reply tagged(Request request, Reply reply) {
        if (!request.method().equals("GET") || reply.status() != 200 || reply.stream() != null) {
            return reply;
        }
        var tag = tag(reply.body());
        return request.header("if-none-match").filter(tag::equals).isPresent()
                ? Reply.empty(304).with("ETag", tag)
                : reply.with("ETag", tag);
    }

    private static String tag(byte[] body) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(body);
            return '"' + HexFormat.of().formatHex(hash, 0, 12) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
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
