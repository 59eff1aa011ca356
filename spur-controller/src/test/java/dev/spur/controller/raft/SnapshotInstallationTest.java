package dev.spur.controller.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Record;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.RecordNumber;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.BlobRef;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A controller that was away for so long that the others no longer have the log since then.
@Timeout(240)
class SnapshotInstallationTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
    private static final Actor ALICE =
            new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR);
    private static final RaftConfig.Limits SMALL =
            new RaftConfig.Limits(1000, 1 << 20, 10, 64 << 10);

    @TempDir Path directory;

    private final Random random = new Random(6);
    private final Map<Integer, ReplicatedState> states = new HashMap<>();
    private final Map<Integer, BlobStore> blobs = new HashMap<>();
    private final Map<Integer, Spool> spools = new HashMap<>();
    private final List<String> scripts = new ArrayList<>();
    private RealQuorum<Proposal, Result> quorum;

    @AfterEach
    void stop() throws IOException {
        quorum.close();
        for (var store : blobs.values()) {
            store.close();
        }
        for (var spool : spools.values()) {
            spool.close();
        }
    }

    @Test
    void itComesBackByASnapshotIsMadeLeaderAndHasEveryScript() throws Exception {
        submit(quorum.leader(), 30);
        var away = (quorum.leader() + 1) % 3;
        quorum.stop(away);
        var before = quorum.lastEntryOf(away);
        var leader = quorum.leader();
        while (quorum.firstEntryOf(leader) <= before) {
            submit(leader, 50);
        }

        quorum.start(away);
        var led = lead(away);

        submit(led, 1);
        assertThat(led).isEqualTo(away);
        assertThat(requireNonNull(states.get(away)).snapshot().jobs()).hasSize(scripts.size());
        assertThat(scripts)
                .allSatisfy(
                        hash -> assertThat(requireNonNull(blobs.get(away)).get(hash)).isPresent());
        assertThat(quorum.failures()).isEmpty();
    }

    /// What the database has not stored is on every controller, also on one that was away while it
    /// happened, and it goes on without a gap when it leads.
    @Test
    void itComesBackByASnapshotAndHasEveryAccountingRecord() throws Exception {
        propose(quorum.leader(), Proposal.of(new Command.BeginRecords(NOW, "a")));
        submit(quorum.leader(), 30);
        var away = (quorum.leader() + 1) % 3;
        quorum.stop(away);
        var before = quorum.lastEntryOf(away);
        var leader = quorum.leader();
        while (quorum.firstEntryOf(leader) <= before) {
            submit(leader, 50);
        }

        quorum.start(away);
        var led = lead(away);
        submit(led, 1);

        var records = requireNonNull(spools.get(away)).recordsBehind(RecordNumber.NONE);
        assertThat(records.stream().filter(Record::hasJob)).hasSameSizeAs(scripts);
        assertThat(records).startsWith(recordsOf(leader).toArray(Record[]::new));
        assertThat(quorum.failures()).isEmpty();
    }

    private List<Record> recordsOf(int number) throws IOException {
        return requireNonNull(spools.get(number)).recordsBehind(RecordNumber.NONE);
    }

    @Test
    void itStartsAgainFromTheSnapshotThatItWasGiven() throws Exception {
        submit(quorum.leader(), 30);
        var away = (quorum.leader() + 1) % 3;
        quorum.stop(away);
        var before = quorum.lastEntryOf(away);
        var leader = quorum.leader();
        while (quorum.firstEntryOf(leader) <= before) {
            submit(leader, 50);
        }
        quorum.start(away);
        lead(away);

        quorum.stop(away);
        quorum.start(away);
        lead(away);

        assertThat(requireNonNull(states.get(away)).snapshot().jobs()).hasSize(scripts.size());
        assertThat(scripts)
                .allSatisfy(
                        hash -> assertThat(requireNonNull(blobs.get(away)).get(hash)).isPresent());
        assertThat(quorum.failures()).isEmpty();
    }

    @BeforeEach
    void start() throws Exception {
        quorum = new RealQuorum<>(directory, 3, SMALL, new ProposalCodec(), this::replica);
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        propose(
                quorum.leader(),
                Proposal.of(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config)));
    }

    private Replica<Proposal, Result> replica(int number) throws IOException {
        var former = blobs.get(number);
        if (former != null) {
            former.close();
        }
        var state = new ReplicatedState();
        var store = BlobStore.open(directory.resolve("blobs" + number));
        states.put(number, state);
        blobs.put(number, store);
        var formerSpool = spools.get(number);
        if (formerSpool != null) {
            formerSpool.close();
        }
        var spool = Spool.open(directory.resolve("spool" + number));
        spools.put(number, spool);
        return new ClusterReplica(state, store, spool, new EventFeed(state, _ -> {}));
    }

    /// Leaders are stopped and started again until this one leads.
    private int lead(int wanted) throws Exception {
        var leader = quorum.leader();
        while (leader != wanted) {
            submit(leader, 1);
            quorum.stop(leader);
            var next = quorum.leader();
            quorum.start(leader);
            leader = next;
        }
        return leader;
    }

    private void submit(int leader, int count) throws Exception {
        for (var i = 0; i < count; i++) {
            var text = "#!/bin/sh\n# %s\n".formatted(letters(4000)).getBytes(UTF_8);
            var blob = new Proposal.Blob(new BlobRef(BlobStore.hashOf(text), text.length), text);
            var result =
                    propose(
                            leader,
                            new Proposal(
                                    new Command.SubmitJob(
                                            NOW,
                                            "request " + scripts.size(),
                                            ALICE,
                                            JobFixture.job().spec(),
                                            blob.ref(),
                                            null),
                                    List.of(blob)));
            assertThat(result).isInstanceOf(Result.Submitted.class);
            scripts.add(blob.ref().sha256());
        }
    }

    private Result propose(int leader, Proposal proposal) throws Exception {
        return quorum.log(leader).propose(proposal).get(30, TimeUnit.SECONDS);
    }

    private String letters(int count) {
        return random.ints(count, 'a', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
