package dev.spur.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.ClusterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-11-16T12:00:00Z"));

    private final ReplicatedState state = new ReplicatedState();
    private final AtomicInteger asked = new AtomicInteger();
    private @TempDir Path directory;
    private BlobStore blobs;
    private Spool spool;
    private Proposals proposals;

    @BeforeEach
    void open() throws IOException {
        blobs = BlobStore.open(directory.resolve("blobs"));
        spool = Spool.open(directory.resolve("spool"));
        var feed = new EventFeed(state, Runnable::run);
        proposals =
                new Proposals(
                        InMemoryLog.alone(
                                new ProposalCodec(), new ClusterReplica(state, blobs, spool, feed)),
                        state,
                        CLOCK);
    }

    @AfterEach
    void close() throws IOException {
        blobs.close();
        spool.close();
    }

    @Test
    void theClusterKnowsNothingOfTheJobsThatAreRehearsed() {
        rehearse(() -> asked.incrementAndGet() > 0);

        assertThat(asked).hasValue(Rehearsal.JOBS); // all of them were
        assertThat(state.snapshot().now()).isEqualTo(CLOCK.instant());
        assertThat(state.snapshot().counters().jobSequence())
                .isEqualTo(new ReplicatedState().snapshot().counters().jobSequence());
    }

    @Test
    void nothingOfItStaysOnTheDisk() throws IOException {
        Files.createDirectories(scratch().resolve("blobs")); // of a controller that was killed

        rehearse(() -> true);

        assertThat(scratch()).doesNotExist();
    }

    @Test
    void whoDoesNotLeadLeavesTheLogAlone() {
        rehearse(() -> asked.incrementAndGet() < 0);

        assertThat(asked).hasValue(Rehearsal.JOBS);
        assertThat(state.snapshot().now()).isBefore(CLOCK.instant());
    }

    private void rehearse(BooleanSupplier leads) {
        new Rehearsal(scratch(), ClusterConfig.EMPTY, proposals, leads, CLOCK).run();
    }

    private Path scratch() {
        return directory.resolve("rehearsal");
    }
}
