package dev.spur.testkit.bench;

import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.model.notation.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// How many jobs a second go all the way through the replicated state machine: submitted, planned,
/// launched, ended, freed. The controller, its log on disk and the streams are real, the agents are
/// simulated.
///
///     Lifecycle --home spur-dist/target/spur --dir DIR [--jobs 20000] [--agents 500] [--port 29817]
public final class Lifecycle {
    private static final int TASKS_OF_AN_ARRAY = 1000;

    private Lifecycle() {}

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var home = Path.of(settings.required("home")).toAbsolutePath();
        var directory = Path.of(settings.required("dir")).toAbsolutePath();
        var agents = settings.number("agents", 500);
        var jobs = settings.number("jobs", 20_000);
        try (var cluster =
                        ManyNodes.start(home, directory, settings.number("port", 29_817), agents);
                var _ = SimulatedAgents.connect(cluster);
                var channels = channels(cluster)) {
            var address = new HostAndPort(cluster.address().host(), cluster.address().port());
            var client = new ControllerClient(channels, List.of(address), Submissions.self());
            run(client, TASKS_OF_AN_ARRAY); // the controller's compiler has seen the path
            var begin = System.nanoTime();
            run(client, jobs);
            System.out.printf(
                    "%-52s %10.0f jobs/s%n",
                    "%,d jobs on %,d simulated nodes".formatted(jobs, agents),
                    jobs * 1e9 / (System.nanoTime() - begin));
        }
    }

    private static Channels channels(ManyNodes cluster) {
        var identity = cluster.administrator();
        return new Channels(
                new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    private static void run(ControllerClient client, int jobs) throws InterruptedException {
        for (var submitted = 0; submitted < jobs; submitted += TASKS_OF_AN_ARRAY) {
            var last = Math.min(TASKS_OF_AN_ARRAY, jobs - submitted) - 1;
            var request = Submissions.array(last, false);
            client.call(c -> c.submitJob(Submissions.fresh(request)));
        }
        while (live(client) > 0) {
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    private static int live(ControllerClient client) {
        var request =
                ListJobsRequest.newBuilder()
                        .addAllStates(List.of("PENDING", "RUNNING", "COMPLETING"))
                        .build();
        var count = new AtomicInteger();
        client.each(c -> c.listJobs(request), page -> count.addAndGet(page.getJobsCount()));
        return count.get();
    }
}
