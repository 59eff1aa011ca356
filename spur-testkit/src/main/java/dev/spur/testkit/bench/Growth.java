package dev.spur.testkit.bench;

import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// How submission, restart and memory of a controller grow with its queue and its nodes. Prints one
/// line of comma-separated values for each size of the queue, after a line that names them.
///
///     Growth --home spur-dist/target/spur --dir DIR --nodes N --jobs 1000,10000 [--agents 1]
///            [--singles 500] [--port 26817]
///
/// With `--agents 1` an agent registers for each node, after the last size of the queue: what that
/// costs is told for each of them.
public final class Growth {
    private static final int WINDOW = 256;

    private final ManyNodes cluster;
    private final int singles;

    private Growth(ManyNodes cluster, int singles) {
        this.cluster = cluster;
        this.singles = singles;
    }

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var home = Path.of(settings.required("home")).toAbsolutePath();
        var directory = Path.of(settings.required("dir")).toAbsolutePath();
        var nodes = settings.number("nodes", 10);
        var sizes =
                Arrays.stream(settings.required("jobs").split(",", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray();
        try (var cluster =
                ManyNodes.start(home, directory, settings.number("port", 26_817), nodes)) {
            var growth = new Growth(cluster, settings.number("singles", 500));
            System.out.println(
                    "nodes,jobs,submit_per_s,submit_cpu_us,memory_mb,restarted_mb,restart_s,restart_cpu_s,register_cpu_ms,streams_mb");
            var queued = 0;
            for (var i = 0; i < sizes.length; i++) {
                growth.fillBy(sizes[i] - queued - growth.singles);
                var agents = i == sizes.length - 1 && settings.number("agents", 0) > 0;
                System.out.printf("%d,%d,%s%n", nodes, sizes[i], growth.measure(agents));
                queued = sizes[i];
            }
        }
    }

    private void fillBy(int jobs) throws InterruptedException {
        if (jobs > 0) {
            try (var channels = channels()) {
                Pipeline.submit(
                        channels.controller(cluster.address()), Submissions.self(), jobs, WINDOW);
            }
        }
    }

    private String measure(boolean withAgents) throws IOException, InterruptedException {
        var submission = submission();
        var grown = cluster.controller().residentMb();
        var begin = System.nanoTime();
        cluster.restart();
        awaitQueue();
        var seconds = (System.nanoTime() - begin) / 1e9;
        var processor = cluster.controller().processorTime().toMillis() / 1e3;
        var restarted = cluster.controller().residentMb();
        var registration = withAgents ? registration() : ",";
        return "%s,%.0f,%.0f,%.2f,%.2f,%s"
                .formatted(submission, grown, restarted, seconds, processor, registration);
    }

    /// One after another, the last ones of the queue's size.
    private String submission() throws IOException {
        try (var channels = channels()) {
            var client = client(channels);
            var request = Submissions.job(true);
            var used = cluster.controller().processorTime();
            var begin = System.nanoTime();
            for (var i = 0; i < singles; i++) {
                client.call(c -> c.submitJob(Submissions.fresh(request)));
            }
            var wall = System.nanoTime() - begin;
            var processor = cluster.controller().processorTime().minus(used);
            return "%.0f,%d".formatted(singles * 1e9 / wall, processor.toNanos() / 1000 / singles);
        }
    }

    /// Until the whole queue has been listed.
    private void awaitQueue() {
        try (var channels = channels()) {
            var all = ListJobsRequest.newBuilder().setDetail(JobDetail.JOB_DETAIL_QUEUE).build();
            client(channels).each(c -> c.listJobs(all), _ -> {});
        }
    }

    private String registration() throws IOException, InterruptedException {
        var controller = cluster.controller();
        var used = controller.processorTime();
        try (var _ = SimulatedAgents.connect(cluster)) {
            var processor = controller.processorTime().minus(used);
            return "%.2f,%.0f"
                    .formatted(
                            (double) processor.toMillis() / cluster.names().size(),
                            controller.residentMb());
        }
    }

    private Channels channels() {
        var identity = cluster.administrator();
        return new Channels(
                new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    private ControllerClient client(Channels channels) {
        return new ControllerClient(channels, List.of(cluster.address()), Submissions.self());
    }
}
