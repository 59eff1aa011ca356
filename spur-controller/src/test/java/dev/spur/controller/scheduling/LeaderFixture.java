package dev.spur.controller.scheduling;

import static dev.spur.model.fixture.NodeFixture.node;

import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// A leader's state, log and clock, with as many nodes of 8 CPUs as a test wants.
final class LeaderFixture {
    private static final Actor ALICE =
            new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR);

    final SteppedTime time = new SteppedTime();
    final ReplicatedState state = new ReplicatedState();
    final EventFeed feed = new EventFeed(state, time);
    final ScriptedLog log;
    final Proposals proposals;
    private int requests;

    LeaderFixture(Path directory, int nodes) throws IOException {
        log =
                new ScriptedLog(
                        new ClusterReplica(
                                state,
                                BlobStore.open(directory),
                                Spool.open(directory.resolve("spool")),
                                feed));
        proposals = new Proposals(log, state, time);
        var names = "node[1-%d]".formatted(nodes);
        proposals.decide(at ->
                new Command.ApplyConfig(
                        at,
                        "",
                        Actor.CLUSTER,
                        new ClusterConfig(
                                "test",
                                List.of(PartitionSpec.of("debug", true, "ALL")),
                                List.of(NodeSpec.of(names, node().shape())),
                                ClusterRules.DEFAULTS)));
        for (var i = 1; i <= nodes; i++) {
            var name = "node" + i;
            proposals.decide(
                    at -> new Command.RegisterNode(at, name, node().report(name), List.of()));
        }
    }

    JobId submit(JobFixture job) {
        var request = "request-" + requests++;
        return switch (proposals.decide(
                at -> new Command.SubmitJob(at, request, ALICE, job.spec(), null, null))) {
            case Result.Submitted(var id, _) -> id;
            case Result other -> throw new AssertionError("not submitted: " + other);
        };
    }

    Job job(JobId id) {
        return state.snapshot().job(id).orElseThrow(() -> new AssertionError("no job " + id));
    }

    Stream<Job> running() {
        return state.snapshot().jobs().stream().filter(Job::hasNodes);
    }
}
