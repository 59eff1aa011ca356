package dev.spur.testkit.real;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// One cluster with accounts for all specifications of its REST APIs; it ends with the JVM.
final class RestCluster {
    private static final JsonMapper JSON = new JsonMapper();
    private static final RealCluster CLUSTER = started();

    /// What was answered.
    record Told(int status, JsonNode body) {}

    private RestCluster() {}

    static RealCluster get() {
        return CLUSTER;
    }

    static String address() {
        return "http://" + CLUSTER.local().layout().restAddress();
    }

    /// Asks as the user of the tests, by curl, as people do.
    static Told ask(String method, String path, String... body) {
        var words = new ArrayList<>(List.of("curl", "-sS", "-X", method, "-w", "\n%{http_code}"));
        if (body.length > 0) {
            words.addAll(List.of("-H", "Content-Type: application/json", "-d", body[0]));
        }
        words.add(address() + path);
        return told(CLUSTER.run(words.toArray(String[]::new)));
    }

    static Told get(String path) {
        return ask("GET", path);
    }

    static Told told(Ran curl) {
        var end = curl.out().lastIndexOf('\n');
        if (curl.exitCode() != 0 || end < 0) {
            throw new AssertionError(curl.err());
        }
        var text = curl.out().substring(0, end);
        return new Told(
                Integer.parseInt(curl.out().substring(end + 1).strip()),
                text.startsWith("{") ? JSON.readTree(text) : JSON.nullNode());
    }

    /// What a command prints with `--json`.
    static JsonNode command(String... words) {
        var ran = CLUSTER.run(words);
        if (ran.exitCode() != 0) {
            throw new AssertionError(ran.err());
        }
        return JSON.readTree(ran.out());
    }

    private static RealCluster started() {
        var cluster = RealCluster.withRest(4);
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
        return cluster;
    }
}
