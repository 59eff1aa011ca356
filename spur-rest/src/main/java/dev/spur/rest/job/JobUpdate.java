package dev.spur.rest.job;

import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Changes of a job: the members of a description by the keys of `scontrol update`.
///
/// @param hold whether it shall be held, or released, from now on
public record JobUpdate(Map<String, String> keys, Optional<Boolean> hold) {
    private static final Map<String, String> TEXTS =
            Map.ofEntries(
                    Map.entry("account", "Account"),
                    Map.entry("admin_comment", "AdminComment"),
                    Map.entry("comment", "Comment"),
                    Map.entry("constraints", "Features"),
                    Map.entry("dependency", "Dependency"),
                    Map.entry("name", "JobName"),
                    Map.entry("nodes", "NumNodes"),
                    Map.entry("partition", "Partition"),
                    Map.entry("qos", "QOS"),
                    Map.entry("standard_error", "StdErr"),
                    Map.entry("standard_output", "StdOut"));

    private static final Map<String, String> LISTS =
            Map.of("excluded_nodes", "ExcNodeList", "required_nodes", "ReqNodeList");

    private static final Map<String, String> NUMBERS =
            Map.of(
                    "cpus_per_task", "CpusPerTask",
                    "memory_per_cpu", "MinMemoryCPU",
                    "memory_per_node", "MinMemoryNode",
                    "minimum_cpus", "NumCPUs",
                    "minimum_nodes", "NumNodes",
                    "nice", "Nice",
                    "priority", "Priority",
                    "tasks", "NumTasks");

    private static final Map<String, String> INSTANTS =
            Map.of("begin_time", "StartTime", "deadline", "Deadline");

    private static final List<String> OWN =
            List.of(
                    "contiguous",
                    "hold",
                    "job_id",
                    "requeue",
                    "time_limit",
                    "tres_per_node",
                    "update");

    public JobUpdate {
        keys = Map.copyOf(keys);
    }

    /// @param warn told of what is not used
    public static JobUpdate of(Body body, Consumer<String> warn) {
        var keys = new LinkedHashMap<String, String>();
        TEXTS.forEach((name, key) -> body.given(name).ifPresent(text -> keys.put(key, text)));
        LISTS.forEach((name, key) -> {
            if (body.has(name)) {
                keys.put(key, String.join(",", body.words(name)));
            }
        });
        NUMBERS.forEach((name, key) ->
                body.number(name).ifPresent(number -> keys.put(key, Long.toString(number))));
        INSTANTS.forEach((name, key) ->
                body.number(name).ifPresent(seconds -> keys.put(key, instant(seconds))));
        if (body.isInfinite("time_limit")) {
            keys.put("TimeLimit", "UNLIMITED");
        } else {
            body.count("time_limit")
                    .ifPresent(minutes -> keys.put("TimeLimit", Integer.toString(minutes)));
        }
        body.flag("requeue").ifPresent(yes -> keys.put("Requeue", yes ? "1" : "0"));
        body.flag("contiguous").ifPresent(yes -> keys.put("Contiguous", yes ? "1" : "0"));
        if (body.has("tres_per_node")) {
            keys.put(
                    "TresPerNode",
                    String.join(",", body.words("tres_per_node")).replace("gres/", "gres:"));
        }
        for (var assignment : body.words("update")) {
            var separator = assignment.indexOf('=');
            if (separator < 1) {
                throw Refusal.unreadable("update has words as in TimeLimit=60");
            }
            keys.put(assignment.substring(0, separator), assignment.substring(separator + 1));
        }
        for (var name : body.names()) {
            if (!isUsed(name) && body.has(name)) {
                warn.accept("%s of a job cannot be changed and is not looked at".formatted(name));
            }
        }
        return new JobUpdate(keys, body.flag("hold"));
    }

    private static boolean isUsed(String name) {
        return TEXTS.containsKey(name)
                || LISTS.containsKey(name)
                || NUMBERS.containsKey(name)
                || INSTANTS.containsKey(name)
                || OWN.contains(name);
    }

    private static String instant(long seconds) {
        if (seconds == 0) {
            return "0";
        }
        if (seconds < 0 || seconds > Instant.MAX.getEpochSecond() / 1000) {
            throw Refusal.unreadable(seconds + " is no time");
        }
        return Instant.ofEpochSecond(seconds).toString();
    }
}
