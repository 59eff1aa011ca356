package dev.spur.testkit.bench;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// How many jobs a second a running local cluster accepts by API, each on disk before its answer.
///
///     SubmitRate --dir DIR [--jobs 4000] [--window 256] [--arrays 100] [--queued 0] [--threads 0]
///
/// Jobs are held, so that nothing but their acceptance is measured, and cancelled at the end.
/// `--window` is the number of unanswered calls that each connection may have when pipelined. With
/// `--queued` the queue is filled up to that many jobs at the end, and then listed. `--threads 1`
/// tells which threads of the controller were used for one request at a time.
public final class SubmitRate {
    private static final int MANY_CONNECTIONS = 8;
    private static final int LISTINGS = 40;

    private final HostAndPort address;
    private final HostIdentity identity;
    private final CallerIdentity caller;
    private final Watched controller;

    private SubmitRate(
            HostAndPort address, HostIdentity identity, CallerIdentity caller, Watched controller) {
        this.address = address;
        this.identity = identity;
        this.caller = caller;
        this.controller = controller;
    }

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var directory = Path.of(settings.required("dir"));
        var jobs = settings.number("jobs", 4000);
        var window = settings.number("window", 256);

        var listen =
                ConfigFile.load(directory.resolve("spur.conf")).config().controller().listenAddr();
        var rate =
                new SubmitRate(
                        new HostAndPort(listen.host(), listen.port()),
                        HostIdentity.load(directory.resolve("identity/door")),
                        Submissions.self(),
                        new Watched(controllerPid(directory)));
        rate.warmUp(jobs / 2);
        rate.requestAndReply(1, jobs / 2, settings.number("threads", 0) > 0);
        rate.requestAndReply(MANY_CONNECTIONS, jobs, false);
        rate.pipelined(1, jobs, window);
        rate.pipelined(MANY_CONNECTIONS, jobs * 2, window);
        rate.arrays(settings.number("arrays", 100));
        rate.cancelAll();
        var queued = settings.number("queued", 0);
        if (queued > 0) {
            rate.queue(queued, window);
            rate.cancelAll();
        }
    }

    private static long controllerPid(Path directory) throws IOException {
        return Long.parseLong(Files.readString(directory.resolve("run/spurctld.pid")).strip());
    }

    /// The controller's compiler has seen the path before anything counts, as in any long life.
    private void warmUp(int jobs) throws InterruptedException, ExecutionException, IOException {
        measure(MANY_CONNECTIONS, jobs, this::oneByOne);
    }

    private void requestAndReply(int connections, int jobs, boolean byThread)
            throws InterruptedException, ExecutionException, IOException {
        var taken = measure(connections, jobs, this::oneByOne);
        print("request and reply, %s".formatted(words(connections)), jobs, taken);
        if (byThread) {
            taken.threads().forEach((name, use) -> printThread(name, jobs, use));
        }
    }

    private static void printThread(String name, int jobs, Watched.Use use) {
        if (use.switches() * 10 >= jobs || use.processor().toNanos() / 1000 >= jobs) {
            System.out.printf(
                    "    %-48s %10d us, %4.1f switches%n",
                    name, use.processor().toNanos() / 1000 / jobs, (double) use.switches() / jobs);
        }
    }

    private void pipelined(int connections, int jobs, int window)
            throws InterruptedException, ExecutionException, IOException {
        print(
                "pipelined (%d unanswered), %s".formatted(window, words(connections)),
                jobs,
                measure(connections, jobs, (channels, mine) -> manyAtOnce(channels, mine, window)));
    }

    private void queue(int jobs, int window)
            throws InterruptedException, ExecutionException, IOException {
        measure(MANY_CONNECTIONS, jobs, (channels, mine) -> manyAtOnce(channels, mine, window));
        System.out.printf(
                "%-52s %10.0f MB (highest %.0f MB)%n",
                "controller's memory, %,d jobs".formatted(jobs),
                controller.residentMb(),
                controller.highestResidentMb());
        try (var channels = connection()) {
            var client = client(channels);
            var request =
                    ListJobsRequest.newBuilder().setDetail(JobDetail.JOB_DETAIL_QUEUE).build();
            var nanos = new long[LISTINGS];
            var before = controller.processorTime();
            for (var i = 0; i < LISTINGS; i++) {
                var begin = System.nanoTime();
                client.each(c -> c.listJobs(request), _ -> {});
                nanos[i] = System.nanoTime() - begin;
            }
            var used = controller.processorTime().minus(before);
            Arrays.sort(nanos);
            System.out.printf(
                    "%-52s %10.1f ms (best %.1f ms, %d ms of the controller's CPU time)%n",
                    "listing of %,d jobs, median".formatted(jobs),
                    nanos[LISTINGS / 2] / 1e6,
                    nanos[0] / 1e6,
                    used.toMillis() / LISTINGS);
        }
    }

    private void arrays(int times) {
        try (var channels = connection()) {
            var client = client(channels);
            var request = Submissions.array(999, true);
            var nanos = new long[times];
            for (var i = 0; i < times; i++) {
                var begin = System.nanoTime();
                client.call(c -> c.submitJob(Submissions.fresh(request)));
                nanos[i] = System.nanoTime() - begin;
            }
            Arrays.sort(nanos);
            System.out.printf(
                    "%-52s %10.2f ms (99%%: %.2f ms)%n",
                    "array of 1,000 accepted, median",
                    nanos[times / 2] / 1e6,
                    nanos[times * 99 / 100] / 1e6);
        }
    }

    /// What one connection does with its share of the jobs.
    private interface Load {
        void run(Channels channels, int jobs) throws InterruptedException;
    }

    /// @param processor time of the controller
    private record Taken(Duration wall, Duration processor, Map<String, Watched.Use> threads) {
        long switches() {
            return threads.values().stream().mapToLong(Watched.Use::switches).sum();
        }
    }

    private Taken measure(int connections, int jobs, Load load)
            throws InterruptedException, ExecutionException, IOException {
        var open = new ArrayList<Channels>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var i = 0; i < connections; i++) {
                var channels = connection();
                open.add(channels);
                load.run(channels, 1); // the handshake is not part of the rate
            }
            var used = controller.processorTime();
            var before = controller.threads();
            var begin = System.nanoTime();
            var running = new ArrayList<Future<?>>();
            for (var channels : open) {
                running.add(
                        threads.submit(() -> {
                            load.run(channels, jobs / connections);
                            return null;
                        }));
            }
            for (var one : running) {
                one.get();
            }
            var wall = Duration.ofNanos(System.nanoTime() - begin);
            var byThread = controller.threads();
            byThread.replaceAll(
                    (name, use) -> use.minus(before.getOrDefault(name, Watched.Use.NONE)));
            return new Taken(wall, controller.processorTime().minus(used), byThread);
        } finally {
            open.forEach(Channels::close);
        }
    }

    private void oneByOne(Channels channels, int jobs) {
        var client = client(channels);
        var request = Submissions.job(true);
        for (var i = 0; i < jobs; i++) {
            client.call(c -> c.submitJob(Submissions.fresh(request)));
        }
    }

    private void manyAtOnce(Channels channels, int jobs, int window) throws InterruptedException {
        Pipeline.submit(channels.controller(address), caller, jobs, window);
    }

    private Channels connection() {
        return new Channels(
                new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    private ControllerClient client(Channels channels) {
        return new ControllerClient(channels, List.of(address), caller);
    }

    private void cancelAll() {
        try (var channels = connection()) {
            var request =
                    CancelJobsRequest.newBuilder()
                            .setRequestId(UUID.randomUUID().toString())
                            .setFilter(JobFilter.newBuilder().addNames(Submissions.NAME))
                            .build();
            client(channels).call(c -> c.cancelJobs(request));
        }
    }

    private static String words(int connections) {
        return connections == 1 ? "one connection" : connections + " connections";
    }

    private static void print(String what, int jobs, Taken taken) {
        System.out.printf(
                "%-52s %10.0f jobs/s (%d us of the controller's CPU time and %.1f switches each)%n",
                what,
                jobs * 1e9 / taken.wall().toNanos(),
                taken.processor().toNanos() / 1000 / jobs,
                (double) taken.switches() / jobs);
    }
}
