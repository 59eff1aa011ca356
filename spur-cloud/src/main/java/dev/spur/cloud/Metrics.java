package dev.spur.cloud;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Router;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Jdbi;

/// What Prometheus collects. This host may ask; others need an administrator's token.
final class Metrics implements Router.Observer {
    private final Map<String, LongAdder> requests = new ConcurrentSkipListMap<>();
    private final LongAdder micros = new LongAdder();
    private final Jdbi db;
    private final LongSupplier unsettled;
    private final BiConsumer<List<String>, Incoming> gate;

    Metrics(Jdbi db, LongSupplier unsettled, BiConsumer<List<String>, Incoming> gate) {
        this.db = db;
        this.unsettled = unsettled;
        this.gate = gate;
    }

    @Override
    public void answered(Incoming request, int status, long took) {
        requests.computeIfAbsent(labels(request.method(), status), _ -> new LongAdder())
                .increment();
        micros.add(took);
    }

    /// Methods that nobody knows are not words of the sender's choice here.
    private static String labels(String method, int status) {
        var known = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").contains(method);
        return "method=\"%s\",status=\"%d\"".formatted(known ? method : "other", status);
    }

    Endpoint<Caller> endpoint() {
        return Endpoint.<Caller>get("/metrics", "collectMetrics")
                .tag("operations")
                .says("Metrics for Prometheus: from this host, or with an administrator's token")
                .answers(200, String.class)
                .by(call -> {
                    if (!isFromHere(call.request())) {
                        gate.accept(List.of(Needs.ADMIN, Needs.ADMINISTRATION), call.request());
                    }
                    return Answer.text(text());
                });
    }

    /// Whoever forwards for others is not who asks.
    private static boolean isFromHere(Incoming request) {
        InetSocketAddress remote = request.remoteAddress();
        return remote.getAddress().isLoopbackAddress()
                && List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via").stream()
                        .noneMatch(name -> request.header(name).isPresent());
    }

    private String text() {
        var text = new StringBuilder();
        text.append("# TYPE spur_cloud_http_requests_total counter\n");
        requests.forEach((labels, count) ->
                text.append(
                        "spur_cloud_http_requests_total{%s} %d\n".formatted(labels, count.sum())));
        text.append("# TYPE spur_cloud_http_seconds_total counter\n")
                .append("spur_cloud_http_seconds_total %.6f\n".formatted(micros.sum() / 1e6))
                .append("# TYPE spur_cloud_sessions gauge\n");
        sessions()
                .forEach((state, count) ->
                        text.append(
                                "spur_cloud_sessions{state=\"%s\"} %d\n".formatted(state, count)));
        var runtime = Runtime.getRuntime();
        return text.append("# TYPE spur_cloud_unsettled_sessions gauge\n")
                .append("spur_cloud_unsettled_sessions %d\n".formatted(unsettled.getAsLong()))
                .append("# TYPE spur_cloud_heap_bytes gauge\n")
                .append(
                        "spur_cloud_heap_bytes %d\n"
                                .formatted(runtime.totalMemory() - runtime.freeMemory()))
                .toString();
    }

    private Map<String, Long> sessions() {
        return db.withHandle(handle -> {
            Map<String, Long> counts = new ConcurrentSkipListMap<>();
            handle.createQuery(
                            "select state, count(*) as n from session where deleted_at is null group by state")
                    .map((row, _) -> Map.entry(row.getString("state"), row.getLong("n")))
                    .forEach(each -> counts.put(each.getKey(), each.getValue()));
            return counts;
        });
    }
}
