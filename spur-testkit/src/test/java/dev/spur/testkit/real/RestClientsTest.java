package dev.spur.testkit.real;

import static dev.spur.testkit.real.RestCluster.ask;
import static dev.spur.testkit.real.RestCluster.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// What programs that speak Slurm's REST API ask, in their order, and what they read of the
/// answers.
class RestClientsTest {
    private final RealCluster cluster = RestCluster.get();

    @Test
    void slurmWebFindsTheVersionAndShowsItsPages() {
        assertThat(get("/slurm/v0.0.44/ping").status()).isEqualTo(404);
        var ping = good(get("/slurm/v0.0.43/ping"));
        assertThat(ping.at("/meta/slurm/cluster").asString()).isEqualTo("local");
        assertThat(ping.at("/meta/slurm/release").asString()).startsWith("25.05");

        var id = submit("v0.0.43");
        var v = "/slurm/v0.0.43";
        hasAll(
                good(get(v + "/jobs")).at("/jobs"),
                "account cpus gres_detail job_id job_state node_count nodes partition priority qos"
                        + " sockets_per_node state_reason tasks tres_per_node user_name");
        hasAll(
                good(get(v + "/job/" + id)).at("/jobs"),
                "job_id tres_req_str current_working_directory");
        hasAll(
                good(get(v + "/nodes")).at("/nodes"),
                "name architecture operating_system boot_time last_busy cpus sockets cores threads"
                        + " real_memory gres gres_used state reason partitions alloc_cpus"
                        + " alloc_idle_cpus alloc_memory");
        hasAll(good(get(v + "/node/node1")).at("/nodes"), "name state");
        hasAll(good(get(v + "/partitions")).at("/partitions"), "name nodes");
        assertThat(good(get(v + "/reservations")).at("/reservations").isArray()).isTrue();
        Eventually.until(
                () -> get("/slurmdb/v0.0.43/job/" + id).status() == 200, () -> "no record of it");
        hasAll(
                good(get("/slurmdb/v0.0.43/job/" + id)).at("/jobs"),
                "association comment derived_exit_code exit_code group name nodes partition"
                        + " priority qos script state steps submit_line time tres used_gres user"
                        + " wckey working_directory");
        hasAll(good(get("/slurmdb/v0.0.43/accounts")).at("/accounts"), "name description");
        hasAll(good(get("/slurmdb/v0.0.43/associations")).at("/associations"), "account user");
        hasAll(good(get("/slurmdb/v0.0.43/qos")).at("/qos"), "name limits priority");
        cancel("v0.0.43", id);
    }

    @Test
    void theOperatorDrainsANodeAndTakesItBack() {
        var v = "/slurm/v0.0.43";
        good(get(v + "/ping/"));
        good(get(v + "/nodes/"));
        var note = "{\\\"pod\\\":\\\"worker-1\\\"}";
        good(ask("POST", v + "/node/node4", "{\"comment\":\"" + note + "\"}"));
        good(
                ask(
                        "POST",
                        v + "/node/node4",
                        "{\"state\":[\"DRAIN\"],\"reason\":\"slurm-operator: going\"}"));

        var node = good(get(v + "/node/node4")).at("/nodes/0");
        assertThat(texts(node.at("/state"))).contains("IDLE", "DRAIN");
        assertThat(node.at("/reason").asString()).isEqualTo("slurm-operator: going");
        assertThat(node.at("/comment").asString()).isEqualTo("{\"pod\":\"worker-1\"}");

        good(ask("POST", v + "/node/node4", "{\"state\":[\"UNDRAIN\"]}"));
        assertThat(texts(good(get(v + "/node/node4")).at("/nodes/0/state")))
                .containsExactly("IDLE");

        good(
                ask(
                        "POST",
                        v + "/reservation",
                        """
                        {"name":"pods","start_time":{"set":true,"number":2051222400},
                         "duration":{"set":true,"number":60},"node_list":["node4"],"users":["root"]}\
                        """));
        assertThat(good(get(v + "/reservation/pods")).at("/reservations/0/node_list").asString())
                .isEqualTo("node4");
        good(ask("DELETE", v + "/reservation/pods"));
        assertThat(get(v + "/reservation/pods").status()).isEqualTo(404);
        good(get(v + "/reconfigure/"));
        assertThat(get(v + "/node/nobody").status()).isEqualTo(404);
    }

    @Test
    void theBridgeSubmitsChangesAndDeletesItsPlaceholders() {
        var id =
                good(ask(
                                "POST",
                                "/slurm/v0.0.43/job/submit",
                                """
                                {"job":{"name":"pod","current_working_directory":"/tmp","account":"root",
                                 "admin_comment":"{}","cpus_per_task":2,"minimum_nodes":1,"maximum_nodes":1,
                                 "memory_per_node":{"set":true,"number":100},"tasks_per_node":1,
                                 "time_limit":{"set":true,"number":30},"tres_per_node":"gres/gpu:1","hold":true,
                                 "environment":["PATH=/bin"],"user_id":"0","group_id":"0","partition":"debug",
                                 "script":"#!/bin/sh\\nsleep 100"}}\
                                """))
                        .at("/job_id")
                        .asInt();
        good(
                ask(
                        "POST",
                        "/slurm/v0.0.43/job/" + id,
                        "{\"time_limit\":{\"set\":true,\"number\":60},\"required_nodes\":[\"node2\"]}"));

        var job = good(get("/slurm/v0.0.43/job/" + id)).at("/jobs/0");
        assertThat(job.at("/time_limit/number").asInt()).isEqualTo(60);
        assertThat(job.at("/required_nodes").asString()).isEqualTo("node2");
        assertThat(job.at("/memory_per_node/number").asInt()).isEqualTo(100);
        cancel("v0.0.43", id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v0.0.40", "v0.0.41", "v0.0.42"})
    void theExporterCountsEverything(String version) {
        var id = submit(version);
        var v = "/slurm/" + version;
        hasAll(
                good(get(v + "/jobs")).at("/jobs"),
                "account user_name cpus job_state partition dependency job_resources");
        hasAll(
                good(get(v + "/nodes")).at("/nodes"),
                "alloc_cpus alloc_idle_cpus cpus alloc_memory real_memory state partitions tres"
                        + " tres_used");
        var partition = good(get(v + "/partitions")).at("/partitions/0");
        assertThat(partition.at("/nodes/configured").asString()).isEqualTo("node[1-4]");
        assertThat(partition.at("/cpus/total").asInt()).isPositive();
        var statistics = good(get(v + "/diag")).at("/statistics");
        for (var name :
                List.of(
                        "server_thread_count",
                        "agent_queue_size",
                        "dbd_agent_queue_size",
                        "schedule_cycle_last",
                        "bf_last_depth")) {
            assertThat(statistics.path(name).isNumber()).as(name).isTrue();
        }
        hasAll(good(get(v + "/shares")).at("/shares/shares"), "name effective_usage");
        cancel(version, id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v0.0.40", "v0.0.41", "v0.0.42", "v0.0.43"})
    void aGeneratedClientSubmitsLooksAndDeletes(String version) {
        var id = submit(version);
        var v = "/slurm/" + version;
        assertThat(good(get(v + "/job/" + id)).at("/jobs/0/job_id").asInt()).isEqualTo(id);
        good(get(v + "/jobs/"));
        good(get(v + "/jobs/state/?job_id=" + id));
        good(get(v + "/nodes/"));
        good(get(v + "/partitions/"));
        good(get(v + "/diag/"));
        good(get(v + "/ping/"));
        cancel(version, id);
        Eventually.until(
                () ->
                        texts(get(v + "/job/" + id).body().at("/jobs/0/job_state"))
                                .contains("CANCELLED"),
                () -> "the job goes on");
        assertThat(get(v + "/job/99999999").status()).isEqualTo(404);
    }

    @Test
    void linesOfTheDocumentationWorkAsWritten() {
        cluster.run("scontrol", "create", "partition", "partitionname=gpu", "nodes=node[1-2]");
        var told =
                ask(
                        "POST",
                        "/api/v1/job/submit",
                        """
                        {"job": {"name": "test", "partition": "gpu", "nodes": 2, "script": "#!/bin/bash\\necho hello"}}\
                        """);

        assertThat(told.status()).isBetween(200, 201);
        assertThat(told.body().at("/job_id").asInt()).isPositive();
        assertThat(get("/api/v1/jobs").status()).isEqualTo(200);
        assertThat(get("/api/v1/ping").body().at("/cluster").asString()).isEqualTo("local");
    }

    private static int submit(String version) {
        return good(ask(
                        "POST",
                        "/slurm/" + version + "/job/submit",
                        """
                        {"script":"#!/bin/sh\\nsleep 100","job":{"name":"asked","partition":"debug",
                         "current_working_directory":"/tmp","environment":["PATH=/bin:/usr/bin"]}}\
                        """))
                .at("/job_id")
                .asInt();
    }

    private static void cancel(String version, int id) {
        good(ask("DELETE", "/slurm/" + version + "/job/" + id));
    }

    /// As strict clients take it: status, no errors, warnings there.
    private static JsonNode good(RestCluster.Told told) {
        assertThat(told.status()).as(told.body().toString()).isEqualTo(200);
        assertThat(told.body().at("/errors").size()).isZero();
        assertThat(told.body().at("/errors").isArray()).isTrue();
        assertThat(told.body().at("/warnings").isArray()).isTrue();
        return told.body();
    }

    private static void hasAll(JsonNode list, String names) {
        assertThat(list.isEmpty()).isFalse();
        for (var entity : list.values()) {
            assertThat(entity.propertyNames()).contains(names.split(" "));
        }
    }

    private static List<String> texts(JsonNode list) {
        return list.values().stream().map(JsonNode::asString).toList();
    }
}
