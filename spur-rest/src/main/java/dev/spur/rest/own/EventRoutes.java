package dev.spur.rest.own;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.JobTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.NodeTable;
import dev.spur.api.view.PartitionTable;
import dev.spur.api.view.PlainLayout;
import dev.spur.api.view.PlanTables;
import dev.spur.api.view.Surroundings;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import io.grpc.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/// What happens, as it happens: server-sent events. Each carries a cursor, behind which a reader
/// that comes back goes on.
final class EventRoutes {
    private static final Duration PULSE = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final String CURSOR = "[A-Za-z0-9._:/+=-]{0,200}";

    private EventRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/events", "watch")
                        .says(
                                "Events",
                                "Changes as they happen, text/event-stream. Last-Event-ID, or cursor, goes on where another stream ended.")
                        .text("of", "jobs, nodes, partitions, plan, by comma; default: jobs")
                        .text("user", "only jobs of these users, by comma")
                        .text("own", "only your jobs")
                        .text("cursor", "go on behind this event")
                        .number("pace", "no more often than so many milliseconds")
                        .by(call -> stream(call, request(call))),
                OwnRoute.get("/api/v1/jobs/{id}/events", "watchJob")
                        .says(
                                "Events",
                                "Changes of one job, or of the tasks of an array, as they happen.")
                        .text("cursor", "go on behind this event")
                        .by(call ->
                                stream(
                                        call,
                                        WatchRequest.newBuilder()
                                                .setJobs(true)
                                                .setFull(true)
                                                .addJobIds(
                                                        Integer.parseInt(
                                                                JobRoutes.id(call)
                                                                        .replaceFirst(
                                                                                "[_+].*", ""))))));
    }

    private static WatchRequest.Builder request(OwnCall call) {
        var of = call.request().list("of");
        for (var word : of) {
            if (!List.of("jobs", "nodes", "partitions", "plan").contains(word)) {
                throw Refusal.badQuery("of knows jobs, nodes, partitions and plan");
            }
        }
        var pace = call.request().parameter("pace").orElse("0");
        if (!pace.matches("[0-9]{1,6}")) {
            throw Refusal.badQuery("pace must be a number of milliseconds");
        }
        return WatchRequest.newBuilder()
                .setJobs(of.isEmpty() || of.contains("jobs"))
                .setNodes(of.contains("nodes"))
                .setPartitions(of.contains("partitions"))
                .setPlan(of.contains("plan"))
                .addAllUsers(call.request().list("user"))
                .setOwn(call.request().isSet("own"))
                .setPaceMillis(Integer.parseInt(pace));
    }

    private static Reply stream(OwnCall call, WatchRequest.Builder request) {
        var cursor =
                call.request()
                        .header("last-event-id")
                        .or(() -> call.request().parameter("cursor"))
                        .orElse("");
        if (!cursor.matches(CURSOR)) {
            throw Refusal.badQuery("there is no such cursor");
        }
        request.setCursor(cursor);
        return Reply.stream("text/event-stream", out -> new Watching(call, request, out).run());
    }

    /// One reader, over as many calls as it takes: controllers come and go.
    private static final class Watching {
        private final OwnCall call;
        private final WatchRequest.Builder request;
        private final OutputStream out;
        private final JsonText json = new JsonText();

        Watching(OwnCall call, WatchRequest.Builder request, OutputStream out) {
            this.call = call;
            this.request = request;
            this.out = out;
        }

        void run() throws IOException, InterruptedException {
            try (var context = Context.current().withCancellation()) {
                var pulse = Thread.startVirtualThread(() -> pulse(context));
                try {
                    while (!context.isCancelled()) {
                        watch(context);
                        Thread.sleep(PAUSE);
                    }
                } finally {
                    pulse.interrupt();
                }
            }
        }

        private void watch(Context.CancellableContext context) throws IOException {
            var before = context.attach();
            try {
                call.client().each(controller -> controller.watch(request.build()), this::tell);
            } catch (ControllerException e) {
                var mayComeBack =
                        e.kind() == ControllerException.Kind.UNREACHABLE
                                || e.kind() == ControllerException.Kind.BUSY;
                if (!mayComeBack && !context.isCancelled()) {
                    throw e;
                }
            } catch (UncheckedIOException e) {
                throw e.getCause();
            } finally {
                context.detach(before);
            }
        }

        /// A reader that has gone is noticed when nothing happens, too.
        private void pulse(Context.CancellableContext context) {
            try {
                send(":\n\n".getBytes(StandardCharsets.US_ASCII));
                while (true) {
                    Thread.sleep(PULSE);
                    send(":\n\n".getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | RuntimeException e) {
                context.cancel(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized void send(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        private void tell(WatchReply reply) {
            request.setCursor(reply.getCursor());
            var surroundings = call.surroundings(reply.getNowMicros());
            json.raw("id: ").raw(reply.getCursor()).raw("\nevent: change\ndata: {");
            json.raw("\"begins_anew\":").flag(reply.getBeginsAnew());
            list("jobs", JobTable.JOBS, reply.getJobsList(), surroundings);
            json.raw(",\"gone_jobs\":[");
            reply.getGoneJobsList()
                    .forEach(job -> json.number(Integer.toUnsignedLong(job)).raw(','));
            json.withoutLastComma().raw(']');
            list("nodes", NodeTable.NODES, reply.getNodesList(), surroundings);
            json.raw(",\"gone_nodes\":[");
            reply.getGoneNodesList().forEach(node -> json.text(node).raw(','));
            json.withoutLastComma().raw(']');
            list("partitions", PartitionTable.PARTITIONS, reply.getPartitionsList(), surroundings);
            list("plan", PlanTables.PLAN, reply.getPlanList(), surroundings);
            json.raw(",\"is_current\":").flag(reply.getIsCurrent()).raw("}\n\n");
            try {
                send(json.take());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private <M> void list(
                String key, EntityTable<M> table, List<M> all, Surroundings surroundings) {
            json.raw(',').text(key).raw(':');
            PlainLayout.of(table).writeAll(all, json, surroundings);
        }
    }
}
