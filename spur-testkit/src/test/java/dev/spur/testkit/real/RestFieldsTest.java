package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// What scontrol changes is read equal everywhere: by REST .42, by `/api/v1`, by `--json` and in
/// the listings for people.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestFieldsTest {
    private static final String SET = "{\"set\":true,\"infinite\":false,\"number\":%s}";

    private final RealCluster cluster = RestCluster.get();
    private final String job = submit();
    private final String other = submit();

    RestFieldsTest() {
        run("scontrol", "create", "partition", "partitionname=other", "nodes=node[1-2]");
        run(
                "scontrol",
                "create",
                "reservation",
                "reservationname=night",
                "starttime=2035-01-01T00:00:00",
                "duration=60",
                "nodes=node3",
                "users=root");
    }

    private String submit() {
        return cluster.run("sbatch", "--parsable", "-H", "-t", "5", "--wrap", "true").out().strip();
    }

    private void run(String... words) {
        assertThat(cluster.run(words).err()).isEmpty();
    }

    /// @param change as scontrol has it
    /// @param place in Slurm's structure
    /// @param slurm what stands there, as JSON; missing: the same in all, whatever it is
    /// @param name in `/api/v1`
    /// @param own what stands there, as JSON
    /// @param column of squeue or sinfo; empty: they have none
    /// @param shown what stands there
    record Row(
            String change,
            String place,
            @Nullable String slurm,
            String name,
            @Nullable String own,
            String column,
            String shown) {
        /// With the number of another job where `OTHER` stands.
        Row with(String other) {
            return new Row(
                    change.replace("OTHER", other),
                    place,
                    slurm == null ? null : slurm.replace("OTHER", other),
                    name,
                    own == null ? null : own.replace("OTHER", other),
                    column,
                    shown.replace("OTHER", other));
        }

        @Override
        public String toString() {
            return change;
        }
    }

    private static Row row(
            String change,
            String place,
            @Nullable String slurm,
            String name,
            @Nullable String own,
            String column,
            String shown) {
        return new Row(change, place, slurm, name, own, column, shown);
    }

    private static String set(String number) {
        return SET.formatted(number);
    }

    static List<Row> jobs() {
        return List.of(
                row("JobName=other", "/name", "\"other\"", "name", "\"other\"", "Name", "other"),
                row(
                        "TimeLimit=90",
                        "/time_limit",
                        set("90"),
                        "time_limit",
                        "90",
                        "TimeLimit",
                        "1:30:00"),
                row(
                        "TimeLimit=UNLIMITED",
                        "/time_limit",
                        "{\"set\":false,\"infinite\":true,\"number\":0}",
                        "time_limit",
                        "null",
                        "TimeLimit",
                        "UNLIMITED"),
                row(
                        "Comment=a:b,c",
                        "/comment",
                        "\"a:b,c\"",
                        "comment",
                        "\"a:b,c\"",
                        "Comment",
                        "a:b,c"),
                row(
                        "AdminComment=seen",
                        "/admin_comment",
                        "\"seen\"",
                        "admin_comment",
                        "\"seen\"",
                        "admin_comment",
                        "seen"),
                row("Nice=17", "/nice", "17", "nice", "17", "Nice", "17"),
                row("NumNodes=2", "/node_count", set("2"), "node_count", "2", "NumNodes", "2"),
                row("NumTasks=4", "/tasks", set("4"), "tasks", "4", "NumTasks", "4"),
                row(
                        "CpusPerTask=3",
                        "/cpus_per_task",
                        set("3"),
                        "cpus_per_task",
                        "3",
                        "cpus-per-task",
                        "3"),
                row(
                        "MinMemoryNode=1000",
                        "/memory_per_node",
                        set("1000"),
                        "memory_per_node_mb",
                        "1000",
                        "MinMemory",
                        "1000M"),
                row(
                        "MinMemoryCPU=500",
                        "/memory_per_cpu",
                        set("500"),
                        "memory_per_cpu_mb",
                        "500",
                        "MinMemory",
                        "500M"),
                row("Requeue=0", "/requeue", "false", "requeue", "false", "Requeue", "0"),
                row("Requeue=1", "/requeue", "true", "requeue", "true", "Requeue", "1"),
                row(
                        "ReqNodeList=node2",
                        "/required_nodes",
                        "\"node2\"",
                        "required_nodes",
                        "\"node2\"",
                        "ReqNodes",
                        "node2"),
                row(
                        "ExcNodeList=node4",
                        "/excluded_nodes",
                        "\"node4\"",
                        "excluded_nodes",
                        "\"node4\"",
                        "ExcNodes",
                        "node4"),
                row(
                        "Dependency=afterany:OTHER",
                        "/dependency",
                        "\"afterany:OTHER(unfulfilled)\"",
                        "dependency",
                        "\"afterany:OTHER(unfulfilled)\"",
                        "Dependency",
                        "afterany:OTHER(unfulfilled)"),
                row(
                        "Dependency=",
                        "/dependency",
                        "\"\"",
                        "dependency",
                        "\"\"",
                        "Dependency",
                        "(null)"),
                row(
                        "Gres=gpu:2",
                        "/tres_per_node",
                        "\"gres:gpu:2\"",
                        "tres_per_node",
                        "\"gres:gpu:2\"",
                        "tres-per-node",
                        "gres:gpu:2"),
                row(
                        "Deadline=2035-06-01T00:00:00",
                        "/deadline",
                        set("2064268800"),
                        "deadline",
                        "\"2035-06-01T00:00:00Z\"",
                        "Deadline",
                        "2035-06-01T00:00:00"),
                row(
                        "StartTime=2035-05-01T00:00:00",
                        "/eligible_time",
                        null,
                        "eligible_at",
                        null,
                        "",
                        ""),
                row(
                        "Partition=other",
                        "/partition",
                        "\"other\"",
                        "partition",
                        "\"other\"",
                        "Partition",
                        "other"),
                row(
                        "Partition=debug",
                        "/partition",
                        "\"debug\"",
                        "partition",
                        "\"debug\"",
                        "Partition",
                        "debug"),
                row("StdOut=/tmp/%j.txt", "/standard_output", null, "std_out", null, "", ""),
                row(
                        "ReservationName=night",
                        "/resv_name",
                        "\"night\"",
                        "reservation",
                        "\"night\"",
                        "Reservation",
                        "night"));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void fieldOfAJob(Row each) {
        var row = each.with(other);
        run("scontrol", "update", "jobid=" + job, row.change());

        var slurm = RestCluster.get("/slurm/v0.0.42/job/" + job).body().at("/jobs/0");
        var own = RestCluster.get("/api/v1/jobs/" + job).body();

        check(row, slurm, own.has("job") ? own.get("job") : own);
        assertThat(
                        alike(
                                RestCluster.command("scontrol", "show", "job", job, "--json")
                                        .at("/jobs/0")))
                .isEqualTo(alike(slurm));
        assertThat(alike(RestCluster.command("squeue", "-j", job, "--json").at("/jobs/0")))
                .isEqualTo(alike(slurm));
        if (!row.column().isEmpty()) {
            assertThat(
                            cluster.run("squeue", "-h", "-j", job, "-O", row.column() + ":.")
                                    .out()
                                    .strip())
                    .isEqualTo(row.shown());
        }
    }

    static List<Row> nodes() {
        return List.of(
                row("Weight=7", "/weight", "7", "weight", "7", "Weight", "7"),
                row("Comment=new", "/comment", "\"new\"", "comment", "\"new\"", "Comment", "new"),
                row(
                        "AvailableFeatures=fast,big",
                        "/features",
                        "[\"fast\",\"big\"]",
                        "features",
                        "[\"fast\",\"big\"]",
                        "Features",
                        "fast,big"),
                row(
                        "ActiveFeatures=fast",
                        "/active_features",
                        "[\"fast\"]",
                        "active_features",
                        "[\"fast\"]",
                        "features_act",
                        "fast"),
                row(
                        "State=DRAIN Reason=disk",
                        "/reason",
                        "\"disk\"",
                        "reason",
                        "\"disk\"",
                        "Reason",
                        "disk"),
                row(
                        "Reason=cable",
                        "/reason",
                        "\"cable\"",
                        "reason",
                        "\"cable\"",
                        "Reason",
                        "cable"),
                row(
                        "State=DRAIN Reason=x",
                        "/state",
                        "[\"IDLE\",\"DRAIN\"]",
                        "states",
                        "[\"IDLE\",\"DRAIN\"]",
                        "StateComplete",
                        "idle+drain"),
                row(
                        "State=RESUME",
                        "/state",
                        "[\"IDLE\"]",
                        "states",
                        "[\"IDLE\"]",
                        "StateComplete",
                        "idle"));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void fieldOfANode(Row row) {
        update("nodename=node4", row);

        var slurm = RestCluster.get("/slurm/v0.0.42/node/node4").body().at("/nodes/0");
        check(row, slurm, RestCluster.get("/api/v1/nodes/node4").body());
        assertThat(
                        alike(
                                RestCluster.command("scontrol", "show", "node", "node4", "--json")
                                        .at("/nodes/0")))
                .isEqualTo(alike(slurm));
        assertThat(
                        cluster.run(
                                        "sinfo",
                                        "-h",
                                        "-N",
                                        "-n",
                                        "node4",
                                        "-p",
                                        "debug",
                                        "-O",
                                        row.column() + ":.")
                                .out()
                                .strip())
                .isEqualTo(row.shown());
    }

    static List<Row> partitions() {
        return List.of(
                row(
                        "MaxTime=120",
                        "/maximums/time",
                        set("120"),
                        "max_time",
                        "120",
                        "Time",
                        "2:00:00"),
                row(
                        "DefaultTime=30",
                        "/defaults/time",
                        set("30"),
                        "default_time",
                        "30",
                        "DefaultTime",
                        "30:00"),
                row("MaxNodes=2", "/maximums/nodes", set("2"), "max_nodes", "2", "Size", "1-2"),
                row("MinNodes=2", "/minimums/nodes", "2", "min_nodes", "2", "Size", "2"),
                row(
                        "State=DRAIN",
                        "/partition/state",
                        "[\"DRAIN\"]",
                        "state",
                        "\"DRAIN\"",
                        "Available",
                        "drain"),
                row(
                        "State=UP",
                        "/partition/state",
                        "[\"UP\"]",
                        "state",
                        "\"UP\"",
                        "Available",
                        "up"),
                row("PriorityTier=9", "/priority/tier", "9", "tier", "9", "PriorityTier", "9"),
                row(
                        "PriorityJobFactor=4",
                        "/priority/job_factor",
                        "4",
                        "priority_factor",
                        "4",
                        "PriorityJobFactor",
                        "4"),
                row(
                        "AllowGroups=root,adm",
                        "/groups/allowed",
                        "\"root,adm\"",
                        "allowed_groups",
                        "[\"root\",\"adm\"]",
                        "Groups",
                        "root,adm"),
                row(
                        "MaxCPUsPerNode=6",
                        "/maximums/cpus_per_node",
                        set("6"),
                        "max_cpus_per_node",
                        "6",
                        "MaxCPUsPerNode",
                        "6"),
                row(
                        "DefMemPerNode=300",
                        "/defaults/partition_memory_per_node",
                        set("300"),
                        "default_memory_per_node_mb",
                        "300",
                        "",
                        ""),
                row(
                        "MaxMemPerCPU=400",
                        "/maximums/partition_memory_per_cpu",
                        set("400"),
                        "max_memory_per_cpu_mb",
                        "400",
                        "",
                        ""),
                row("GraceTime=44", "/grace_time", "44", "grace_seconds", "44", "", ""),
                row(
                        "Nodes=node[1-3]",
                        "/nodes/configured",
                        "\"node[1-3]\"",
                        "nodes",
                        "\"node[1-3]\"",
                        "Nodes",
                        "3"));
    }

    @ParameterizedTest
    @MethodSource("partitions")
    void fieldOfAPartition(Row row) {
        update("partitionname=other", row);

        var slurm = RestCluster.get("/slurm/v0.0.42/partition/other").body().at("/partitions/0");
        check(row, slurm, RestCluster.get("/api/v1/partitions/other").body());
        assertThat(
                        alike(
                                RestCluster.command(
                                                "scontrol", "show", "partition", "other", "--json")
                                        .at("/partitions/0")))
                .isEqualTo(alike(slurm));
        assertThat(
                        alike(
                                RestCluster.command("sinfo", "-p", "other", "--json")
                                        .at("/sinfo/0/partition")))
                .isEqualTo(alike(slurm));
        if (!row.column().isEmpty()) {
            assertThat(
                            cluster.run(
                                            "sinfo",
                                            "-h",
                                            "-s",
                                            "-p",
                                            "other",
                                            "-O",
                                            row.column() + ":.")
                                    .out()
                                    .strip())
                    .isEqualTo(row.shown());
        }
    }

    static List<Row> reservations() {
        return List.of(
                row(
                        "Duration=120",
                        "/end_time",
                        set("2051229600"),
                        "ends_at",
                        "\"2035-01-01T02:00:00Z\"",
                        "",
                        ""),
                row(
                        "StartTime=2035-01-01T01:00:00",
                        "/start_time",
                        set("2051226000"),
                        "starts_at",
                        "\"2035-01-01T01:00:00Z\"",
                        "",
                        ""),
                row(
                        "Nodes=node[2-3]",
                        "/node_list",
                        "\"node[2-3]\"",
                        "nodes",
                        "\"node[2-3]\"",
                        "",
                        ""),
                row(
                        "Users=root,daemon",
                        "/users",
                        "\"root,daemon\"",
                        "users",
                        "[\"root\",\"daemon\"]",
                        "",
                        ""),
                row("Flags+=MAGNETIC", "/flags", null, "flags", null, "", ""));
    }

    @ParameterizedTest
    @MethodSource("reservations")
    void fieldOfAReservation(Row row) {
        update("reservationname=night", row);

        var slurm =
                RestCluster.get("/slurm/v0.0.42/reservation/night").body().at("/reservations/0");
        check(row, slurm, RestCluster.get("/api/v1/reservations/night").body());
        assertThat(
                        alike(
                                RestCluster.command(
                                                "scontrol",
                                                "show",
                                                "reservation",
                                                "night",
                                                "--json")
                                        .at("/reservations/0")))
                .isEqualTo(alike(slurm));
    }

    @Test
    void theFilterOfAListingHoldsForJsonToo() {
        assertThat(RestCluster.command("squeue", "-t", "R", "-j", job, "--json").at("/jobs").size())
                .isZero();
    }

    private void update(String entity, Row row) {
        var words = new ArrayList<>(List.of("scontrol", "update", entity));
        words.addAll(List.of(row.change().split(" ")));
        run(words.toArray(String[]::new));
    }

    private static void check(Row row, JsonNode slurm, JsonNode own) {
        if (row.slurm() != null) {
            assertThat(slurm.at(row.place()).toString()).isEqualTo(row.slurm());
        } else {
            assertThat(slurm.at(row.place()).isMissingNode()).isFalse();
        }
        if (row.own() != null) {
            assertThat(own.path(row.name()).toString()).isEqualTo(row.own());
        }
    }

    /// Without what moves between two looks.
    private static JsonNode alike(JsonNode entity) {
        var copy = (ObjectNode) entity.deepCopy();
        for (var moving :
                List.of(
                        "cpu_load",
                        "free_mem",
                        "last_busy",
                        "last_sched_evaluation",
                        "start_time",
                        "priority")) {
            copy.remove(moving);
        }
        return copy;
    }
}
