package dev.spur.rest.slurm;

import dev.spur.api.v1.GetStatisticsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.v1.StatisticsGrpc;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.NodeTable;
import dev.spur.api.view.PartitionTable;
import dev.spur.api.view.PeerTable;
import dev.spur.api.view.SlurmLayout;
import dev.spur.api.view.StatisticsTable;
import dev.spur.model.ErrorCode;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the cluster is made of, and how it is.
final class ClusterListing {
    private ClusterListing() {}

    static void addTo(Map<String, SlurmApi.Operation> operations) {
        operations.put("slurm_get_ping", ClusterListing::ping);
        operations.put("slurm_get_diag", ClusterListing::diag);
        operations.put("slurm_get_licenses", ClusterListing::licenses);
        operations.put("slurm_get_reconfigure", ClusterListing::reconfigure);
        operations.put("slurm_get_nodes", call -> nodes(call, List.of()));
        operations.put(
                "slurm_get_node", call -> nodes(call, List.of(call.request().value("node_name"))));
        operations.put("slurm_post_nodes", call -> update(call, names(call.body())));
        operations.put("slurm_post_node", call -> update(call, call.request().value("node_name")));
        operations.put("slurm_get_partitions", call -> partitions(call, List.of()));
        operations.put(
                "slurm_get_partition",
                call -> partitions(call, List.of(call.request().value("partition_name"))));
    }

    private static Reply ping(SlurmCall call) {
        var reply = call.cluster().ping(call.caller());
        return list(
                call,
                "pings",
                PeerTable.CONTROLLERS,
                reply.getControllersList(),
                reply.getSelf().getNowMicros(),
                false);
    }

    private static Reply diag(SlurmCall call) {
        var request = GetStatisticsRequest.getDefaultInstance();
        var reply =
                call.client()
                        .call(stub ->
                                StatisticsGrpc.newBlockingStub(stub.getChannel())
                                        .getStatistics(request));
        return call.answer(json -> {
            json.raw("\"statistics\":");
            SlurmLayout.of(StatisticsTable.STATISTICS)
                    .write(reply, json, call.surroundings(reply.getNowMicros()));
            json.raw(',');
        });
    }

    private static Reply licenses(SlurmCall call) {
        var now = call.cluster().ping(call.caller()).getSelf().getNowMicros();
        return call.answer(json -> {
            json.raw("\"licenses\":[],\"last_update\":");
            JobListing.time(json, now);
            json.raw(',');
        });
    }

    private static Reply reconfigure(SlurmCall call) {
        var request = ReconfigureRequest.newBuilder().setRequestId(call.requestId()).build();
        var reply = call.client().call(controller -> controller.reconfigure(request));
        reply.getNeedRestartList()
                .forEach(key -> call.warn(key + " takes effect when spurctld is restarted"));
        return call.answer(_ -> {});
    }

    private static Reply nodes(SlurmCall call, List<String> names) {
        call.warnAboutUpdateTime();
        var request = ListNodesRequest.newBuilder().addAllNames(names).build();
        var reply = call.client().call(controller -> controller.listNodes(request));
        if (!names.isEmpty() && reply.getNodesCount() == 0) {
            throw Refusal.of(404, ErrorCode.INVALID_NODE, "there is no such node");
        }
        return list(
                call, "nodes", NodeTable.NODES, reply.getNodesList(), reply.getNowMicros(), true);
    }

    private static Reply partitions(SlurmCall call, List<String> names) {
        call.warnAboutUpdateTime();
        var request = ListPartitionsRequest.newBuilder().addAllNames(names).build();
        var reply = call.client().call(controller -> controller.listPartitions(request));
        if (!names.isEmpty() && reply.getPartitionsCount() == 0) {
            throw Refusal.of(404, ErrorCode.INVALID_PARTITION, "there is no such partition");
        }
        return list(
                call,
                "partitions",
                PartitionTable.PARTITIONS,
                reply.getPartitionsList(),
                reply.getNowMicros(),
                true);
    }

    static <M> Reply list(
            SlurmCall call,
            String key,
            EntityTable<M> table,
            List<M> entities,
            long now,
            boolean isDated) {
        return call.answer(json -> {
            json.text(key).raw(':');
            SlurmLayout.of(table).writeAll(entities, json, call.surroundings(now));
            if (isDated) {
                json.raw(",\"last_update\":");
                JobListing.time(json, now);
            }
            json.raw(',');
        });
    }

    private static String names(Body body) {
        var names = String.join(",", body.words("name"));
        if (names.isEmpty()) {
            throw Refusal.unreadable("the body names no nodes: give \"name\"");
        }
        return names;
    }

    private static Reply update(SlurmCall call, String names) {
        var body = call.body();
        var changes = new LinkedHashMap<String, String>();
        body.given("comment").ifPresent(text -> changes.put("Comment", text));
        body.given("reason").ifPresent(text -> changes.put("Reason", text));
        if (body.has("features")) {
            changes.put("AvailableFeatures", String.join(",", body.words("features")));
        }
        if (body.has("features_act")) {
            changes.put("ActiveFeatures", String.join(",", body.words("features_act")));
        }
        body.count("weight").ifPresent(weight -> changes.put("Weight", weight.toString()));
        for (var state : body.words("state")) {
            changes.put("State", state);
        }
        for (var name :
                List.of("cpu_bind", "extra", "gres", "address", "hostname", "resume_after")) {
            if (body.has(name)) {
                call.warn("%s of a node cannot be changed and is not looked at".formatted(name));
            }
        }
        if (changes.isEmpty()) {
            throw Refusal.unreadable("the body changes nothing");
        }
        var request =
                UpdateNodesRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .setNames(names)
                        .putAllChanges(changes)
                        .build();
        call.client().call(controller -> controller.updateNodes(request));
        return call.answer(_ -> {});
    }
}
