package dev.spur.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.api.view.SlurmSchema;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Slurm's REST API, as its clients see it.
class SlurmAnswersTest {
    private static final Map<String, String> PLACES =
            Map.of(
                    "{job_id}", "7",
                    "{node_name}", "n1",
                    "{partition_name}", "gpu",
                    "{reservation_name}", "later",
                    "{account_name}", "physics",
                    "{name}", "alice",
                    "{qos}", "normal",
                    "{cluster_name}", "one",
                    "{id}", "2");

    private static final String JOB =
            """
            {"script": "#!/bin/sh\\nhostname", "job": {"name": "x", "partition": "gpu", "nodes": "2-4",
             "environment": ["A=b"], "current_working_directory": "/tmp", "time_limit": {"set": true, "number": 30},
             "memory_per_node": {"set": true, "number": 512}, "tres_per_node": "gres/gpu:2", "argv": ["x", "one"],
             "flags": ["SPREAD_JOB"], "user_id": ""}}
            """;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = new Service();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    static Stream<SlurmSchema.Operation> reading() {
        return SlurmSchema.current().operations().stream()
                .filter(operation -> operation.method().equals("GET"))
                // Those that need spurdbd, of which there is none here.
                .filter(operation -> !operation.id().equals("slurmdb_get_diag"));
    }

    private static String path(SlurmSchema.Operation operation) {
        var path = operation.path();
        for (var place : PLACES.entrySet()) {
            path = path.replace(place.getKey(), place.getValue());
        }
        return path;
    }

    @ParameterizedTest
    @MethodSource("reading")
    void whatIsReadIsAsTheSchemaSays(SlurmSchema.Operation operation) {
        for (var version : List.of("v0.0.40", "v0.0.41", "v0.0.42", "v0.0.43")) {
            var told = service.get(path(operation).replace("v0.0.42", version));

            assertThat(told.status()).as(told.text()).isEqualTo(200);
            assertThat(told.header("content-type")).isEqualTo("application/json");
            assertThat(Conformance.complaints(told.json(), operation.answer())).isEmpty();
            assertThat(told.json().path("errors").isEmpty()).isTrue();
            assertThat(told.json().path("meta").path("plugin").path("data_parser").asString())
                    .isEqualTo("data_parser/" + version);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/slurm/v0.0.42/jobs", "/slurm/v0.0.42/jobs/"})
    void aSlashAtTheEndChangesNothing(String path) {
        assertThat(service.get(path).json().path("jobs").size()).isEqualTo(1);
    }

    @Test
    void aJobIsSubmittedAsItIsDescribed() {
        var told = service.send("POST", "/slurm/v0.0.42/job/submit", JOB);

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        assertThat(Conformance.complaints(told.json(), "openapi_job_submit_response")).isEmpty();
        assertThat(told.json().path("job_id").asInt()).isEqualTo(8);
        var request = last(SubmitJobRequest.class);
        assertThat(request.getScript().toStringUtf8()).isEqualTo("#!/bin/sh\nhostname");
        assertThat(request.getEnvironment().toStringUtf8()).isEqualTo("A=b\0");
        assertThat(request.getSpec().getTimeLimit().getMinutes()).isEqualTo(30);
        assertThat(request.getSpec().getScriptArgsList()).containsExactly("one");
        assertThat(request.getSpec().getSpreadJob()).isTrue();
        assertThat(request.getSpec().getComponents(0).getMinNodes()).isEqualTo(2);
        assertThat(request.getSpec().getComponents(0).getMaxNodes()).isEqualTo(4);
        assertThat(request.getSpec().getComponents(0).getGresPerNode()).isEqualTo("gpu:2");
        assertThat(request.getSpec().getComponents(0).getMemPerNodeMb()).isEqualTo(512);
    }

    @Test
    void whatIsNotUsedIsTold() {
        var body = JOB.replace("\"flags\"", "\"burst_buffer\": \"x\", \"nonsense\": 1, \"flags\"");

        var warnings =
                service.send("POST", "/slurm/v0.0.42/job/submit", body).json().path("warnings");

        assertThat(warnings.size()).isEqualTo(2);
        assertThat(warnings.toString())
                .contains("burst_buffer is not used")
                .contains("Ignoring unknown field \\\"nonsense\\\"");
    }

    @Test
    void theControllersRefusalHasItsNumberAndItsWords() {
        var told =
                service.send(
                        "POST", "/slurm/v0.0.42/job/submit", JOB.replace("\"gpu\"", "\"nowhere\""));

        assertThat(told.status()).isEqualTo(422);
        var error = told.json().path("errors").path(0);
        assertThat(error.path("error_number").asInt()).isEqualTo(2000);
        assertThat(error.path("error").asString()).isEqualTo("Invalid partition name specified");
        assertThat(error.path("description").asString()).isEqualTo("there is no partition nowhere");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /slurm/v0.0.42/job/99, 404, 2017",
        "GET, /slurm/v0.0.42/job/x, 404, 2017",
        "GET, /slurm/v0.0.42/node/none, 404, 2018",
        "GET, /slurm/v0.0.42/nothing, 404, 9003",
        "GET, /slurm/v0.0.99/ping, 404, 9003",
        "PUT, /slurm/v0.0.42/jobs, 405, 9000",
        "GET, /slurmdb/v0.0.42/account/none, 404, 9003",
        "GET, /slurmdb/v0.0.42/diag, 502, 7000",
        "DELETE, /slurm/v0.0.42/job/8, 404, 2017",
        "DELETE, /slurm/v0.0.42/node/n1, 422, 2036",
    })
    void whatIsNotThereIsRefusedWithItsNumber(String method, String path, int status, int errno) {
        var told = service.send(method, path, "");

        assertThat(told.status()).isEqualTo(status);
        assertThat(told.json().path("errors").path(0).path("error_number").asInt())
                .isEqualTo(errno);
        assertThat(Conformance.complaints(told.json().path("errors"), "openapi_errors")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ | 400",
                "[] | 400",
                "{\"job\": 1} | 400",
                "{\"job\": {\"time_limit\": {}}} | 422",
                "{\"job\": {\"script\": \"x\", \"current_working_directory\": \"/\"}} | 422",
                "{\"job\": {\"script\": \"x\", \"environment\": [\"A=b\"]}} | 422",
                "{\"job\": {\"nice\": \"much\", \"current_working_directory\": \"/\"}} | 400",
            })
    void whatCannotBeReadIsRefused(String body, int status) {
        assertThat(service.send("POST", "/slurm/v0.0.42/job/submit", body).status())
                .isEqualTo(status);
    }

    @Test
    void aBodyOfAnotherKindIsRefused() {
        var told =
                service.send(
                        "POST", "/slurm/v0.0.42/job/submit", "<job/>", "Content-Type", "text/xml");

        assertThat(told.status()).isIn(400, 415);
    }

    @Test
    void jobsAreChangedByScontrolsKeys() {
        var told =
                service.send(
                        "POST",
                        "/slurm/v0.0.42/job/7",
                        """
                        {"time_limit": {"set": true, "number": 5}, "comment": "", "required_nodes": ["n1", "n2"], "priority": 3}
                        """);

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        assertThat(Conformance.complaints(told.json(), "openapi_job_post_response")).isEmpty();
        assertThat(last(UpdateJobsRequest.class).getChangesMap())
                .containsOnly(
                        Map.entry("TimeLimit", "5"),
                        Map.entry("Comment", ""),
                        Map.entry("ReqNodeList", "n1,n2"),
                        Map.entry("Priority", "3"));
    }

    @Test
    void jobsAreEndedOrSignalled() {
        var ended = service.send("DELETE", "/slurm/v0.0.42/job/7", "");
        var signalled =
                service.send("DELETE", "/slurm/v0.0.42/job/7?signal=USR1&flags=FULL_JOB", "");

        assertThat(Conformance.complaints(ended.json(), "openapi_kill_job_resp")).isEmpty();
        assertThat(ended.json().path("status").path(0).path("job_id").path("number").asInt())
                .isEqualTo(7);
        assertThat(signalled.status()).isEqualTo(200);
        assertThat(last(CancelJobsRequest.class).getIdsList()).containsExactly("7");
        assertThat(last(SignalJobsRequest.class).getSignal()).isEqualTo(10);
    }

    @Test
    void severalJobsAreEndedByWhatTheyHaveInCommon() {
        service.send(
                "DELETE",
                "/slurm/v0.0.42/jobs/",
                "{\"user_name\": \"alice\", \"job_state\": [\"PENDING\"]}");

        var request = last(CancelJobsRequest.class);
        assertThat(request.getFilter().getUsersList()).containsExactly("alice");
        assertThat(request.getFilter().getStatesList()).containsExactly("PENDING");
    }

    @Test
    void aNodeIsDrainedAsSlurmOperatorDoes() {
        var told =
                service.send(
                        "POST",
                        "/slurm/v0.0.42/node/n1",
                        "{\"state\": [\"DRAIN\"], \"reason\": \"slurm-operator: pod gone\", \"comment\": \"{}\"}");

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        assertThat(Conformance.complaints(told.json(), "openapi_resp")).isEmpty();
        assertThat(last(UpdateNodesRequest.class).getChangesMap())
                .containsEntry("State", "DRAIN")
                .containsEntry("Reason", "slurm-operator: pod gone")
                .containsEntry("Comment", "{}");
    }

    @Test
    void accountsAreChangedAllAtOnce() {
        var told =
                service.send(
                        "POST",
                        "/slurmdb/v0.0.42/associations/",
                        """
                        {"associations": [
                          {"account": "physics", "user": "alice", "max": {"jobs": {"active": {"set": true, "number": 9}},
                            "tres": {"total": [{"type": "gres", "name": "gpu", "count": 4}, {"type": "cpu", "count": 64}]}}},
                          {"account": "new", "user": "", "parent_account": "physics", "shares_raw": 10}]}
                        """);

        assertThat(told.status()).as(told.text()).isEqualTo(200);
        var changes = last(ChangeAccountsRequest.class).getChangesList();
        assertThat(changes).hasSize(2);
        assertThat(changes.get(0).getModify().getSetList())
                .extracting(each -> each.getKey() + "=" + each.getValue())
                .containsExactlyInAnyOrder("maxjobs=9", "grptres=gres/gpu=4,cpu=64");
        assertThat(changes.get(1).getAddAccounts().getParent()).isEqualTo("physics");
    }

    @Test
    void theDocumentNamesEveryPathAndStructure() {
        var document = service.get("/openapi/v3").json();

        assertThat(document.path("paths").size())
                .isEqualTo(
                        4
                                * (int)
                                        SlurmSchema.current().operations().stream()
                                                .map(SlurmSchema.Operation::path)
                                                .distinct()
                                                .count());
        assertThat(document.at("/paths/~1slurm~1v0.0.41~1jobs~1/get/operationId").asString())
                .isEqualTo("slurm_v0041_get_jobs");
        assertThat(
                        document.at("/components/schemas/v0.0.42_job_info/properties/job_id/type")
                                .asString())
                .isEqualTo("integer");
    }

    @Test
    void answersComeInYamlForWhomItIsEasier() {
        var told = service.get("/slurm/v0.0.42/ping", "Accept", "application/yaml");

        assertThat(told.header("content-type")).isEqualTo("application/yaml");
        assertThat(told.text()).contains("hostname: \"ctl\"");
    }

    @Test
    void aRepeatedRequestHasTheSameId() {
        service.send("POST", "/slurm/v0.0.42/job/submit", JOB, "Idempotency-Key", "once-1");

        assertThat(last(SubmitJobRequest.class).getRequestId()).isEqualTo("once-1");
    }

    private static <M> M last(Class<M> type) {
        return service.controller.asked.reversed().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }
}
