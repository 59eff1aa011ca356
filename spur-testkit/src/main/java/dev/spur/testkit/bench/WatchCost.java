package dev.spur.testkit.bench;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.HostIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/// What watches cost a running local cluster: memory, processor time, and how much slower it takes
/// jobs meanwhile.
///
///     WatchCost --dir DIR [--watches 1000] [--jobs 4000] [--seconds 10]
///
/// Every watch hears of all jobs, nodes and the plan: nobody watches more.
public final class WatchCost {
    private static final int CONNECTIONS = 8;

    private final HostAndPort address;
    private final HostIdentity identity;
    private final CallerIdentity caller = Submissions.self();
    private final Watched controller;
    private final AtomicLong rows = new AtomicLong();

    private WatchCost(HostAndPort address, HostIdentity identity, Watched controller) {
        this.address = address;
        this.identity = identity;
        this.controller = controller;
    }

    static void main(String... arguments) throws Exception {
        var settings = Settings.of(arguments);
        var directory = Path.of(settings.required("dir"));
        var listen =
                ConfigFile.load(directory.resolve("spur.conf")).config().controller().listenAddr();
        var pid = Files.readString(directory.resolve("run/spurctld.pid")).strip();
        var cost =
                new WatchCost(
                        new HostAndPort(listen.host(), listen.port()),
                        HostIdentity.load(directory.resolve("identity/door")),
                        new Watched(Long.parseLong(pid)));
        cost.measure(
                settings.number("watches", 1_000),
                settings.number("jobs", 4_000),
                Duration.ofSeconds(settings.number("seconds", 10)));
    }

    private void measure(int watches, int jobs, Duration steady) throws Exception {
        submit("to warm up", jobs);
        submit("without watches", jobs);
        var before = controller.residentMb();
        var current = new CountDownLatch(watches);
        var open = new ArrayList<Channels>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var used = controller.processorTime();
            var begin = System.nanoTime();
            for (var i = 0; i < watches; i++) {
                if (i % (watches / CONNECTIONS + 1) == 0) {
                    open.add(connection());
                }
                var client = client(open.getLast());
                var _ = threads.submit(() -> watch(client, current));
            }
            current.await();
            System.out.printf(
                    "%,d watches told everything (%,d rows) after %.1f s, %.1f s of the controller's CPU time%n",
                    watches, rows.get(), (System.nanoTime() - begin) / 1e9, since(used));
            System.out.printf(
                    "controller's memory: %.0f MB, before %.0f MB%n",
                    controller.residentMb(), before);
            var idle = controller.processorTime();
            Thread.sleep(steady);
            System.out.printf(
                    "nothing happens for %d s: %.2f s of CPU time%n",
                    steady.toSeconds(), since(idle));
            var told = rows.get();
            submit("with %,d watches".formatted(watches), jobs);
            System.out.printf(
                    "  rows told meanwhile: %,d; controller's memory %.0f MB, at its highest %.0f MB%n",
                    rows.get() - told, controller.residentMb(), controller.highestResidentMb());
            threads.shutdownNow();
        } finally {
            open.forEach(Channels::close);
        }
        cancelAll();
    }

    private void watch(ControllerClient client, CountDownLatch current) {
        var request =
                WatchRequest.newBuilder()
                        .setJobs(true)
                        .setNodes(true)
                        .setPlan(true)
                        .setPaceMillis(500)
                        .build();
        var isTold = new boolean[1];
        try {
            client.<WatchReply>each(
                    stub -> stub.watch(request),
                    reply -> {
                        rows.addAndGet(
                                reply.getJobsCount()
                                        + reply.getNodesCount()
                                        + reply.getPlanCount());
                        if (reply.getIsCurrent() && !isTold[0]) {
                            isTold[0] = true;
                            current.countDown();
                        }
                    });
        } catch (ControllerException e) {
            current.countDown(); // the measurement is over, or this one is not to be
            if (!isTold[0]) {
                System.out.println("a watch ended: " + e.getMessage());
            }
        }
    }

    private double since(Duration before) throws IOException {
        return controller.processorTime().minus(before).toMillis() / 1e3;
    }

    private void submit(String when, int jobs)
            throws InterruptedException, ExecutionException, IOException {
        var open = new ArrayList<Channels>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var used = controller.processorTime();
            var begin = System.nanoTime();
            var running = new ArrayList<Future<?>>();
            for (var i = 0; i < CONNECTIONS; i++) {
                var channels = connection();
                open.add(channels);
                running.add(threads.submit(() -> submit(client(channels), jobs / CONNECTIONS)));
            }
            for (var one : running) {
                one.get();
            }
            System.out.printf(
                    "submissions %s: %.0f jobs/s, %.2f s of the controller's CPU time%n",
                    when, jobs * 1e9 / (System.nanoTime() - begin), since(used));
        } finally {
            open.forEach(Channels::close);
        }
    }

    private static void submit(ControllerClient client, int jobs) {
        var request = Submissions.job(true);
        for (var i = 0; i < jobs; i++) {
            client.call(c -> c.submitJob(Submissions.fresh(request)));
        }
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

    private Channels connection() {
        return new Channels(
                new TransportSecurity.Tls(identity.keyManager(), identity.trustManager()));
    }

    private ControllerClient client(Channels channels) {
        return new ControllerClient(channels, List.of(address), caller);
    }
}
