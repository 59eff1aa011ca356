package dev.spur.controller.blob;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.accounting.Spool;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
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
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlobKeeperTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
    private static final Actor ALICE =
            new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR);

    @TempDir Path directory;

    private final ReplicatedState state = new ReplicatedState();
    private BlobStore blobs;
    private Spool spool;
    private ClusterReplica replica;
    private BlobKeeper keeper;
    private long index;

    @BeforeEach
    void open() throws IOException {
        blobs = BlobStore.open(directory.resolve("blobs"));
        spool = Spool.open(directory.resolve("spool"));
        replica = new ClusterReplica(state, blobs, spool, new EventFeed(state, _ -> {}));
        keeper = new BlobKeeper(blobs, spool, state::snapshot);
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        apply(Proposal.of(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config)));
    }

    @AfterEach
    void close() throws IOException {
        blobs.close();
    }

    @Test
    void theScriptOfAJobThatIsQueuedIsKept() {
        var script = submit("queued");

        keeper.run();

        assertThat(blobs.contains(script)).isTrue();
    }

    @Test
    void whatNoJobRefersToIsCollected() {
        var nobodys = blob("nobody's");
        apply(new Proposal(new Command.AdvanceTime(NOW), List.of(nobodys)));

        keeper.run();

        assertThat(blobs.contains(nobodys.ref().sha256())).isFalse();
    }

    /// Apply puts a script before it publishes the job: a collection between the two must not take
    /// it.
    @Test
    void noScriptOfAnAcceptedJobIsTakenByACollectionThatRunsBesideApply() throws Exception {
        var applied = new AtomicBoolean();
        try (var pool = Executors.newSingleThreadExecutor()) {
            var collector =
                    pool.submit(() -> {
                        while (!applied.get()) {
                            keeper.run();
                        }
                    });
            try {
                for (var i = 0; i < 4_000; i++) {
                    submit("script " + i);
                }
            } finally {
                applied.set(true);
            }
            collector.get();
        }

        assertThat(state.snapshot().jobs())
                .hasSize(4_000)
                .allSatisfy(job ->
                        assertThat(blobs.contains(requireNonNull(job.script()).sha256())).isTrue());
    }

    /// @return the hash of the job's script
    private String submit(String text) {
        var script = blob(text);
        var spec = JobFixture.job().spec();
        var result =
                apply(
                        new Proposal(
                                new Command.SubmitJob(NOW, text, ALICE, spec, script.ref(), null),
                                List.of(script)));
        assertThat(result).isInstanceOf(Result.Submitted.class);
        return script.ref().sha256();
    }

    private Result apply(Proposal proposal) {
        return replica.apply(index++, List.of(proposal)).getFirst();
    }

    private static Proposal.Blob blob(String text) {
        var bytes = text.getBytes(UTF_8);
        return new Proposal.Blob(new BlobRef(BlobStore.hashOf(bytes), bytes.length), bytes);
    }
}
