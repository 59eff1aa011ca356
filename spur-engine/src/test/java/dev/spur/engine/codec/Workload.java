package dev.spur.engine.codec;

import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.credential.IssuedToken;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import dev.spur.engine.step.StepEnd;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.Actor;
import dev.spur.model.BlobRef;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.ExitStatus;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.JobKind;
import dev.spur.model.JobNotes;
import dev.spur.model.JobSelector;
import dev.spur.model.JobSpec;
import dev.spur.model.LaunchSpec;
import dev.spur.model.NodeReport;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeShare;
import dev.spur.model.NodeSpec;
import dev.spur.model.Owner;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Placement;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Role;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A busy day of a small cluster: commands that fit the state they meet, the same for the same
/// seed.
final class Workload {
    private static final int NODES = 20;
    private static final int CPUS = 16;
    private static final Actor ADMIN =
            new Actor(0, "root", "login1", Role.ADMIN, Actor.Origin.DOOR);

    private final Random random;
    private final ClusterState cluster = new ClusterState();
    private final List<Command> log = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-15T08:00:00Z");
    private int requests;

    private Workload(long seed) {
        random = new Random(seed);
    }

    static List<Command> of(long seed, int length) {
        var workload = new Workload(seed);
        workload.open();
        while (workload.log.size() < length) {
            workload.step();
        }
        return workload.log;
    }

    /// A command that submits job number `i` of a long queue.
    static Command.SubmitJob submission(int i, Instant at) {
        var owner = new Owner(1000 + i % 50, 1000, "user" + i % 50, List.of(1000, 2000));
        var spec =
                new JobSpec(
                        "job-" + i,
                        JobKind.BATCH,
                        owner,
                        List.of("cpu"),
                        "physics",
                        "",
                        List.of(ResourceRequest.ONE_TASK),
                        TimeLimit.ofMinutes(10 + i % 100),
                        null,
                        "",
                        "",
                        null,
                        null,
                        0,
                        null,
                        false,
                        null,
                        "",
                        List.of(),
                        "",
                        false,
                        false,
                        false,
                        false,
                        0,
                        0,
                        LaunchSpec.IN_ROOT,
                        JobNotes.NONE);
        var actor =
                new Actor(owner.uid(), owner.userName(), "login1", Role.USER, Actor.Origin.DOOR);
        var script = new BlobRef("%064x".formatted(i), 200);
        return new Command.SubmitJob(at, "request-" + i, actor, spec, script, null);
    }

    static Command.ApplyConfig config(Instant at) {
        var names = "node[01-%d]".formatted(NODES);
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("cpu", true, "ALL")),
                        List.of(NodeSpec.of(names, NodeShape.of(CPUS, 64_000))),
                        ClusterRules.DEFAULTS);
        return new Command.ApplyConfig(at, "", ADMIN, config);
    }

    private void open() {
        propose(config(now));
        for (var i = 1; i <= NODES; i++) {
            propose(register("node%02d".formatted(i)));
        }
    }

    private void propose(Command command) {
        log.add(command);
        cluster.apply(command);
    }

    private void step() {
        now = now.plusMillis(random.nextInt(20_000));
        var state = cluster.publish();
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> submit(state);
            case 4, 5, 6 -> start(state);
            case 7, 8 -> endSteps(state);
            case 9, 10 -> clean(state);
            case 11 -> act(state);
            case 12 -> propose(createStep(state));
            case 13 -> nodeFails();
            case 14 -> propose(new Command.AdvanceTime(now));
            default -> credentials();
        }
    }

    private void submit(Snapshot state) {
        var plain = submission(requests++, now);
        var spec = plain.spec();
        var known = anyJob(state);
        var array = random.nextInt(4) == 0 ? "0-9%3" : "";
        var dependency = random.nextInt(4) == 0 && known != null ? "afterany:" + known.id() : "";
        propose(
                new Command.SubmitJob(
                        now,
                        plain.requestId(),
                        plain.actor(),
                        new JobSpec(
                                spec.name(),
                                random.nextInt(3) == 0 ? JobKind.ALLOCATION : JobKind.BATCH,
                                spec.owner(),
                                spec.partitions(),
                                spec.account(),
                                spec.qos(),
                                spec.components(),
                                spec.timeLimit(),
                                null,
                                array,
                                dependency,
                                random.nextInt(8) == 0 ? now.plusSeconds(60) : null,
                                null,
                                0,
                                null,
                                random.nextInt(8) == 0,
                                true,
                                "",
                                List.of(),
                                "",
                                false,
                                false,
                                false,
                                false,
                                0,
                                0,
                                spec.launch(),
                                spec.notes()),
                        plain.script(),
                        null));
    }

    /// Eligible jobs, each on some node that looks free; some meet on the same CPUs and are
    /// refused.
    private void start(Snapshot state) {
        var eligible =
                state.jobs().stream()
                        .filter(job -> job.isPending() && job.queueing().eligibleAt() != null)
                        .limit(8)
                        .toList();
        var starts = new ArrayList<Command.JobStart>();
        for (var job : eligible) {
            var node = state.nodeAt(random.nextInt(NODES));
            if (node != null) {
                var free = IndexSet.range(0, CPUS).minus(node.usage().cpus());
                starts.add(
                        new Command.JobStart(
                                job.id(), placement(node, free.first(2)), job.terms().revision()));
            }
        }
        propose(new Command.StartJobs(now, starts));
    }

    private static Placement placement(Node node, IndexSet cpus) {
        return new Placement("cpu", List.of(new NodeShare(node.name(), cpus, 1000, List.of())));
    }

    private void endSteps(Snapshot state) {
        for (var job : state.jobs()) {
            if (random.nextInt(3) == 0 && job.phase() instanceof JobPhase.Running running) {
                var exit = new ExitStatus(random.nextInt(4) == 0 ? 1 : 0, 0);
                var end = new StepEnd(exit, false, false, false, 5, 6, 7, running.since(), now, "");
                var node = running.placement().first().node();
                propose(
                        job.spec().isBatch()
                                ? new Command.StepEnded(
                                        now, job.id(), job.attempt(), StepId.BATCH, node, end)
                                : new Command.FinishAllocation(now, "", ADMIN, job.id(), exit));
            }
        }
    }

    private void clean(Snapshot state) {
        for (var job : state.jobs()) {
            if (job.phase() instanceof JobPhase.Completing completing) {
                for (var node : completing.remaining()) {
                    propose(new Command.JobGone(now, job.id(), job.attempt(), node));
                }
            }
        }
    }

    private void act(Snapshot state) {
        var job = anyJob(state);
        var jobs = List.of(JobSelector.of(job == null ? new JobId(1) : job.id()));
        var id = random.nextBoolean() ? "" : "action-" + requests++;
        propose(
                switch (random.nextInt(7)) {
                    case 0 -> new Command.CancelJobs(now, id, ADMIN, jobs);
                    case 1 -> new Command.HoldJobs(now, id, ADMIN, jobs, random.nextBoolean());
                    case 2 -> new Command.ReleaseJobs(now, id, ADMIN, jobs);
                    case 3 ->
                            new Command.RequeueJobs(
                                    now,
                                    id,
                                    ADMIN,
                                    jobs,
                                    random.nextBoolean(),
                                    random.nextBoolean(),
                                    false);
                    case 4 -> new Command.SuspendJobs(now, id, ADMIN, jobs, true);
                    case 5 -> new Command.ResumeJobs(now, id, ADMIN, jobs);
                    default ->
                            new Command.UpdateJobs(
                                    now, id, ADMIN, jobs, List.of(new JobChange.SetName("other")));
                });
    }

    private Command createStep(Snapshot state) {
        var job = anyJob(state);
        var id = job == null ? new JobId(1) : job.id();
        return new Command.CreateStep(now, "step-" + requests++, ADMIN, id, StepRequest.of("step"));
    }

    private void nodeFails() {
        var node = "node%02d".formatted(1 + random.nextInt(NODES));
        propose(
                switch (random.nextInt(4)) {
                    case 0 -> new Command.NodeLost(now, node, now);
                    case 1 -> new Command.NodeResponded(now, node);
                    default -> register(node);
                });
    }

    private Command register(String node) {
        var report =
                new NodeReport(
                        NodeShape.of(CPUS, 64_000),
                        node + ":6818",
                        node,
                        "boot-" + random.nextInt(2),
                        now,
                        now,
                        "x86_64",
                        "Linux",
                        "0.1.0",
                        List.of("avx2"),
                        Map.of("rack", "r1"));
        var jobs = new ArrayList<Command.JobOnNode>();
        for (var job : cluster.publish().jobs()) {
            var placement = job.phase().placementOrNull();
            if (placement != null && placement.uses(node) && random.nextInt(4) != 0) {
                jobs.add(new Command.JobOnNode(job.id(), job.attempt()));
            }
        }
        return new Command.RegisterNode(now, node, report, jobs);
    }

    private void credentials() {
        var generated = new Generated(random.nextLong());
        propose(new Command.RevokeCertificate(now, "", ADMIN, "serial" + random.nextInt(9)));
        var host = "host" + random.nextInt(4);
        propose(
                new Command.CertifyHost(
                        now,
                        new HostCertificate(
                                host, "login", now, now.plus(Duration.ofDays(90)), null)));
        propose(new Command.RevokeHost(now, "", ADMIN, host));
        propose(new Command.CreateToken(now, "", ADMIN, generated.value(IssuedToken.class)));
    }

    /// Running jobs are as likely as all others together.
    private @Nullable Job anyJob(Snapshot state) {
        var jobs = state.jobs().stream().toList();
        var running = jobs.stream().filter(job -> job.phase() instanceof JobPhase.Running).toList();
        var from = running.isEmpty() || random.nextBoolean() ? jobs : running;
        return from.isEmpty() ? null : from.get(random.nextInt(from.size()));
    }
}
