package dev.spur.controller;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.job.JobListing;
import dev.spur.controller.job.JobSubmission;
import dev.spur.controller.job.UserGroups;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a controller does before anybody submits: a hundred submissions and more and listings
/// through its own code, into a state and files of their own that are thrown away; and the real log
/// is told what time it is as often, which changes nothing. So the first users find code that has
/// run.
///
/// On a thread of its own, of the lowest priority, for some seconds at most.
final class Rehearsal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
    static final int JOBS = 150;
    private static final int LISTED_EVERY = 10;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Caller.Person SOMEBODY =
            new Caller.Person(
                    new Actor(0, "root", "", Role.ADMIN, Actor.Origin.DOOR, List.of()),
                    0,
                    List.of(0));

    private final Path directory;
    private final ClusterConfig config;
    private final Proposals real;
    private final BooleanSupplier leads;
    private final InstantSource clock;
    private final Thread thread;
    private volatile boolean closed;

    Rehearsal(
            Path directory,
            ClusterConfig config,
            Proposals real,
            BooleanSupplier leads,
            InstantSource clock) {
        this.directory = directory;
        this.config = config;
        this.real = real;
        this.leads = leads;
        this.clock = clock;
        this.thread = Thread.ofPlatform().name("spur-rehearsal").daemon().unstarted(this::run);
        thread.setPriority(Thread.MIN_PRIORITY);
    }

    /// @param directory is made, and removed with all that is in it
    /// @param config by which jobs are admitted
    /// @param leads whether the real log may be written
    static Rehearsal start(
            Path directory,
            ClusterConfig config,
            Proposals real,
            BooleanSupplier leads,
            InstantSource clock) {
        var rehearsal = new Rehearsal(directory, config, real, leads, clock);
        rehearsal.thread.start();
        return rehearsal;
    }

    void run() {
        var begin = System.nanoTime();
        try {
            remove();
            var jobs = rehearse(begin + MOST_NANOS);
            LOG.atInfo()
                    .addKeyValue("jobs", jobs)
                    .addKeyValue("millis", (System.nanoTime() - begin) / 1_000_000)
                    .log("controller rehearsed");
        } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("the controller did not rehearse to the end");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            remove();
        }
    }

    private int rehearse(long until)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (var blobs = BlobStore.open(directory.resolve("blobs"));
                var spool = Spool.open(directory.resolve("spool"))) {
            var state = new ReplicatedState();
            var feed = new EventFeed(state, Runnable::run);
            var log =
                    InMemoryLog.alone(
                            new ProposalCodec(), new ClusterReplica(state, blobs, spool, feed));
            var proposals = new Proposals(log, state, clock);
            proposals.decide(at -> new Command.ApplyConfig(at, "", Actor.CLUSTER, config));
            var submission =
                    new JobSubmission(
                            proposals, state, new UserGroups(_ -> Set.of(), clock), Runnable::run);
            var visibility =
                    new Visibility(
                            () -> state.snapshot().config().jobVisibility(),
                            () -> state.snapshot().accounts());
            var listing = new JobListing(state, visibility, clock, _ -> "root", new Plan(state));
            var jobs = 0;
            while (jobs < JOBS && !closed && System.nanoTime() < until) {
                var _ =
                        submission
                                .submit(request(jobs), SOMEBODY)
                                .exceptionally(_ -> REFUSED)
                                .get(10, TimeUnit.SECONDS);
                if (leads.getAsBoolean()) {
                    var _ = real.propose(Command.AdvanceTime::new).get(10, TimeUnit.SECONDS);
                }
                jobs++;
                if (jobs % LISTED_EVERY == 0) {
                    listing.list(QUEUE, SOMEBODY, reply -> reply.toByteString());
                }
            }
            return jobs;
        }
    }

    /// Where only those may submit who have an account: a refusal goes the same way.
    private static final SubmitJobReply REFUSED = SubmitJobReply.getDefaultInstance();

    private static final ListJobsRequest QUEUE =
            ListJobsRequest.newBuilder().setDetail(JobDetail.JOB_DETAIL_QUEUE).build();

    private static SubmitJobRequest request(int number) {
        return SubmitJobRequest.newBuilder()
                .setRequestId("rehearsal-" + number)
                .setSpec(
                        JobSpec.newBuilder()
                                .setName("wrap")
                                .setHold(true)
                                .setWorkDir("/")
                                .setSubmitDir("/")
                                .setStdOut("/dev/null")
                                .setSubmitLine("sbatch -H -o /dev/null --wrap true")
                                .addComponents(ResourceRequest.newBuilder().setTasks(1)))
                .setScript(ByteString.copyFromUtf8("#!/bin/sh\ntrue\n"))
                .setEnvironment(ByteString.copyFromUtf8("PATH=/usr/bin:/bin\0NUMBER=" + number))
                .build();
    }

    private void remove() {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("what was rehearsed stays");
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
