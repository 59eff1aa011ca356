package dev.spur.rest.own;

import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.NodeTable;
import dev.spur.api.view.PartitionTable;
import dev.spur.api.view.PeerTable;
import dev.spur.api.view.PlainLayout;
import dev.spur.api.view.StatisticsTable;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the cluster is made of.
final class ClusterRoutes {
    private ClusterRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/ping", "ping")
                        .says("Cluster", "Whether the cluster answers, and whom it takes you for.")
                        .by(ClusterRoutes::ping),
                OwnRoute.get("/api/v1/statistics", "getStatistics")
                        .says("Cluster", "How busy the controller is.")
                        .answers(StatisticsTable.STATISTICS)
                        .by(ClusterRoutes::statistics),
                OwnRoute.get("/api/v1/nodes", "listNodes")
                        .says("Nodes", "The nodes.")
                        .lists("nodes", NodeTable.NODES)
                        .by(ClusterRoutes::nodes),
                OwnRoute.get("/api/v1/nodes/{name}", "getNode")
                        .says("Nodes", "One node.")
                        .answers(NodeTable.NODES)
                        .by(ClusterRoutes::node),
                OwnRoute.patch("/api/v1/nodes/{name}", "changeNode")
                        .says("Nodes", "Changes a node: state, reason, comment, features, weight.")
                        .takes("NodeChange")
                        .by(ClusterRoutes::change),
                OwnRoute.post("/api/v1/nodes/{name}/drain", "drainNode")
                        .says("Nodes", "Lets a node take no new jobs.")
                        .takes("Reason")
                        .by(call -> update(call, Map.of("State", "DRAIN", "Reason", reason(call)))),
                OwnRoute.post("/api/v1/nodes/{name}/resume", "resumeNode")
                        .says("Nodes", "Lets a node take jobs again.")
                        .by(call -> update(call, Map.of("State", "RESUME"))),
                OwnRoute.get("/api/v1/partitions", "listPartitions")
                        .says("Partitions", "The partitions.")
                        .lists("partitions", PartitionTable.PARTITIONS)
                        .by(ClusterRoutes::partitions),
                OwnRoute.get("/api/v1/partitions/{name}", "getPartition")
                        .says("Partitions", "One partition.")
                        .answers(PartitionTable.PARTITIONS)
                        .by(ClusterRoutes::partition));
    }

    private static Reply ping(OwnCall call) {
        var reply = call.cluster().ping(call.caller());
        var you = reply.getYou();
        var json = new JsonText().raw("{\"cluster\":").text(reply.getCluster());
        json.raw(",\"version\":").text(reply.getVersion());
        json.raw(",\"you\":{\"user\":").text(you.getUser());
        json.raw(",\"uid\":").number(Integer.toUnsignedLong(you.getUid()));
        json.raw(",\"role\":").text(you.getRole()).raw("},\"controllers\":");
        PlainLayout.of(PeerTable.CONTROLLERS)
                .writeAll(
                        reply.getControllersList(),
                        json,
                        call.surroundings(reply.getSelf().getNowMicros()));
        return Reply.json(200, json.raw('}'));
    }

    private static Reply statistics(OwnCall call) {
        var request = GetStatisticsRequest.getDefaultInstance();
        var reply =
                call.client()
                        .call(stub ->
                                StatisticsGrpc.newBlockingStub(stub.getChannel())
                                        .getStatistics(request));
        return call.one(StatisticsTable.STATISTICS, reply, reply.getNowMicros());
    }

    private static Reply nodes(OwnCall call) {
        var reply =
                call.client()
                        .call(controller ->
                                controller.listNodes(ListNodesRequest.getDefaultInstance()));
        return call.page("nodes", NodeTable.NODES, reply.getNodesList(), reply.getNowMicros());
    }

    private static Reply node(OwnCall call) {
        var request = ListNodesRequest.newBuilder().addNames(call.request().value("name")).build();
        var reply = call.client().call(controller -> controller.listNodes(request));
        if (reply.getNodesCount() != 1) {
            throw Refusal.of(404, ErrorCode.INVALID_NODE, "there is no such node");
        }
        return call.one(NodeTable.NODES, reply.getNodes(0), reply.getNowMicros());
    }

    private static String reason(OwnCall call) {
        return call.body()
                .text("reason")
                .orElseThrow(() ->
                        Refusal.of(
                                422,
                                ErrorCode.INVALID_REQUEST,
                                "a node is drained for a reason: give \"reason\""));
    }

    private static Reply change(OwnCall call) {
        var body = call.body();
        var changes = new LinkedHashMap<String, String>();
        for (var name : body.names()) {
            switch (name) {
                case "state" -> changes.put("State", body.given(name).orElse(""));
                case "reason" -> changes.put("Reason", body.given(name).orElse(""));
                case "comment" -> changes.put("Comment", body.given(name).orElse(""));
                case "features" ->
                        changes.put("AvailableFeatures", String.join(",", body.words(name)));
                case "active_features" ->
                        changes.put("ActiveFeatures", String.join(",", body.words(name)));
                case "weight" ->
                        body.count(name)
                                .ifPresent(weight -> changes.put("Weight", weight.toString()));
                default ->
                        throw Refusal.unreadable("%s of a node cannot be changed".formatted(name));
            }
        }
        return update(call, changes);
    }

    private static Reply update(OwnCall call, Map<String, String> changes) {
        var request =
                UpdateNodesRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .setNames(call.request().value("name"))
                        .putAllChanges(changes)
                        .build();
        call.client().call(controller -> controller.updateNodes(request));
        return node(call);
    }

    private static Reply partitions(OwnCall call) {
        var reply =
                call.client()
                        .call(controller ->
                                controller.listPartitions(
                                        ListPartitionsRequest.getDefaultInstance()));
        return call.page(
                "partitions",
                PartitionTable.PARTITIONS,
                reply.getPartitionsList(),
                reply.getNowMicros());
    }

    private static Reply partition(OwnCall call) {
        var request =
                ListPartitionsRequest.newBuilder().addNames(call.request().value("name")).build();
        var reply = call.client().call(controller -> controller.listPartitions(request));
        if (reply.getPartitionsCount() != 1) {
            throw Refusal.of(404, ErrorCode.INVALID_PARTITION, "there is no such partition");
        }
        return call.one(PartitionTable.PARTITIONS, reply.getPartitions(0), reply.getNowMicros());
    }
}
