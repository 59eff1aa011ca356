package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.PingRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/// Three controllers that joined by tokens, as processes of their own. The last specification takes
/// two away.
@TestMethodOrder(OrderAnnotation.class)
class ThreeControllersTest {
    private static final int JOBS = 24;
    private static final int SCRIPTS = 40;
    private static final int SCRIPT_BYTES = 400_000;
    private static final Pattern ENTRIES = Pattern.compile("log_(?:inprogress_)?(\\d+)(?:-\\d+)?");

    private static RealCluster cluster;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        var config =
                Files.writeString(
                        directory.resolve("spur.conf"),
                        """
                        cluster_name = "local"

                        [controller]
                        snapshot_after_entries = 20

                        [accounting]
                        enforce = ["limits"]

                        [[partitions]]
                        name = "debug"
                        default = true
                        nodes = "node[1-2]"

                        [[nodes]]
                        names = "node[1-2]"
                        cpus = 8
                        memory_mb = 16000
                        """);
        cluster = RealCluster.ofControllers(3, 2, config);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(1)
    void everyControllerIsUpForThosePingingIt() {
        assertThat(cluster.run("scontrol", "ping").out().lines())
                .containsExactly(
                        "Slurmctld(primary) at 127.0.0.1 is UP",
                        "Slurmctld(backup1) at 127.0.0.1 is UP",
                        "Slurmctld(backup2) at 127.0.0.1 is UP");
        var status = cluster.run("spur", "cluster", "status");
        assertThat(status.exitCode()).as(status.err()).isZero();
        assertThat(status.out()).contains("3 of 3 controllers answer, ctl1 leads");
        assertThat(status.out().lines().filter(line -> line.contains("follower"))).hasSize(2);
    }

    @Test
    @Order(2)
    void whatAControllerReceivedIsForItsOwnerOnly() throws Exception {
        try (var files = Files.walk(cluster.local().layout().controllerState(2))) {
            var secrets =
                    files.filter(Files::isRegularFile)
                            .filter(file ->
                                    file.toString().contains("/ca/")
                                            || file.toString().contains("/keys/")
                                            || file.toString().contains("/identity/"))
                            .toList();
            assertThat(secrets).extracting(Path::getFileName).hasSizeGreaterThanOrEqualTo(6);
            for (var secret : secrets) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                        .as(secret.toString())
                        .isEqualTo("rw-------");
            }
        }
    }

    @Test
    @Order(3)
    void noAcknowledgedJobIsLostOrRunTwiceWhenTheLeaderIsKilled() throws Exception {
        var runs = Files.createDirectory(cluster.work().resolve("runs"));
        Files.setPosixFilePermissions(runs, PosixFilePermissions.fromString("rwxrwxrwx"));
        var accepted = new ArrayList<Integer>();
        var killed = cluster.leader();

        try (var killer = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var n = 0; n < JOBS; n++) {
                if (n == JOBS / 3) {
                    killer.execute(() -> cluster.kill(killed));
                }
                var script = "echo ran >> %s/$SLURM_JOB_ID".formatted(runs);
                var ran = cluster.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", script);
                assertThat(ran.exitCode()).as(ran.err()).isZero();
                accepted.add(Integer.parseInt(ran.out().strip()));
            }
        }

        assertThat(accepted).doesNotHaveDuplicates().hasSize(JOBS);
        Eventually.until(() -> live() == 0, () -> live() + " jobs have not ended");
        for (var id : accepted) {
            assertThat(runs.resolve(Integer.toString(id))).content().isEqualTo("ran\n");
        }
        Eventually.until(
                () -> cluster.run("scontrol", "ping").out().lines().allMatch(l -> l.endsWith("UP")),
                () -> cluster.run("scontrol", "ping").out());
    }

    /// No spurdbd runs here: the limit is in the state of the controllers.
    @Test
    @Order(4)
    void aLimitThatIsLoweredWhileTheLeaderDiesIsObeyedByTheNextStart() throws Exception {
        sacctmgr("add", "account", "lab", "grpjobs=8");
        sacctmgr("add", "user", "root", "account=lab");
        for (var round = 0; round < 2; round++) {
            var runs = submit("sleep 600");
            Eventually.until(() -> state(runs).startsWith("RUNNING"), () -> state(runs));
            var killed = cluster.leader();

            try (var killer = Executors.newVirtualThreadPerTaskExecutor()) {
                killer.execute(() -> cluster.kill(killed));
                sacctmgr("modify", "account", "lab", "set", "grpjobs=1");
            }
            var waits = submit("true");

            Eventually.until(
                    () -> state(waits).equals("PENDING AssocGrpJobsLimit"), () -> state(waits));
            cluster.run("scancel", Integer.toString(runs));
            Eventually.until(() -> live() == 0, () -> live() + " jobs have not ended");
            sacctmgr("modify", "account", "lab", "set", "grpjobs=8");
        }
    }

    /// Said again if nobody knows what became of it.
    private static void sacctmgr(String... words) {
        var command = new ArrayList<>(List.of("sacctmgr", "-i"));
        command.addAll(List.of(words));
        Eventually.until(
                () -> cluster.run(command.toArray(String[]::new)).exitCode() == 0,
                () -> cluster.run(command.toArray(String[]::new)).toString());
    }

    private static int submit(String script) {
        var ran =
                cluster.run(
                        "sbatch", "--parsable", "-A", "lab", "-o", "/dev/null", "--wrap", script);
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        return Integer.parseInt(ran.out().strip());
    }

    private static String state(int job) {
        return cluster.run("squeue", "-h", "-o", "%T %r", "-j", Integer.toString(job))
                .out()
                .strip();
    }

    /// It is made leader by the removal of the others, dead or alive.
    @Test
    @Order(5)
    void aFollowerThatWasAwayUntilTheLogWasPurgedLeadsAndHasEveryScript() throws Exception {
        var leader = cluster.leader();
        var away = leader.equals("spurctld3") ? "spurctld2" : "spurctld3";
        var other = leader.equals("spurctld") ? "spurctld2" : "spurctld";
        var seen = cluster.client().call(c -> c.ping(PingRequest.getDefaultInstance())).getSelf();
        cluster.signal(away, "STOP");
        var held = new ArrayList<Integer>();
        for (var n = 0; n < SCRIPTS; n++) {
            held.add(hold(n));
        }
        Eventually.until(
                () -> {
                    addEntry(held.getFirst()); // a log that nothing is added to is not purged
                    return firstEntry(leader) > seen.getCommitted();
                },
                () -> "the log still begins at entry " + firstEntry(leader));

        cluster.signal(away, "CONT");
        remove(other);
        remove(leader);

        assertThat(cluster.leader()).isEqualTo(away);
        held.forEach(job -> cluster.run("scontrol", "release", Integer.toString(job)));
        Eventually.until(() -> live() == 0, () -> live() + " jobs have not ended");
        for (var n = 0; n < SCRIPTS; n++) {
            assertThat(cluster.work().resolve("held-" + n)).content().isEqualTo("ran\n");
        }
    }

    /// Waits for the one that is back where the others could not do without it.
    private static void remove(String process) {
        var daemon = cluster.local().daemon(process);
        var number = process.substring("spurctld".length());
        var name = "ctl" + (number.isEmpty() ? "1" : number);
        Eventually.until(
                () -> cluster.run("spur", "cluster", "remove", name).exitCode() == 0,
                () -> cluster.run("spur", "cluster", "status").out());
        Eventually.until(
                () -> log(daemon.log()).contains("was removed from the cluster"),
                () -> log(daemon.log()));
        daemon.close();
    }

    /// A job with a large script, so that the log grows by more than a segment.
    private static int hold(int number) {
        var script =
                "#!/bin/sh\necho ran >> %s/held-%d\n%s\n"
                        .formatted(cluster.work(), number, "#".repeat(SCRIPT_BYTES));
        var ran = cluster.run(Map.of(), script, "sbatch", "--parsable", "-H", "-o", "/dev/null");
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        return Integer.parseInt(ran.out().strip());
    }

    private static void addEntry(int job) {
        cluster.run("scontrol", "update", "JobId=" + job, "Comment=" + System.nanoTime());
    }

    /// Where the log of a controller begins, by the names of its files.
    private static long firstEntry(String process) {
        var number = process.substring("spurctld".length());
        var state =
                cluster.local()
                        .layout()
                        .controllerState(number.isEmpty() ? 1 : Integer.parseInt(number));
        try (var files = Files.walk(state.resolve("raft"))) {
            return files.map(file -> ENTRIES.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(name -> Long.parseLong(name.group(1)))
                    .min()
                    .orElse(0);
        } catch (java.io.IOException | java.io.UncheckedIOException e) {
            return 0; // a file went away while the directory was read
        }
    }

    private static String log(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static int live() {
        var request =
                ListJobsRequest.newBuilder()
                        .addAllStates(List.of("PENDING", "RUNNING", "COMPLETING"))
                        .build();
        var count = new AtomicInteger();
        cluster.client()
                .each(c -> c.listJobs(request), page -> count.addAndGet(page.getJobsCount()));
        return count.get();
    }
}
