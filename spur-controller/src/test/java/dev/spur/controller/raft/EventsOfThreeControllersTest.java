package dev.spur.controller.raft;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.EventFollower;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Somebody follows the events of a cluster whose controllers come and go.
@Timeout(120)
class EventsOfThreeControllersTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
    private static final Actor ALICE =
            new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR);

    @TempDir Path directory;

    private final Map<Integer, EventFeed> feeds = new HashMap<>();
    private final List<BlobStore> stores = new ArrayList<>();
    private final Reader reader = new Reader();
    private RealQuorum<Proposal, Result> quorum;
    private int submitted;

    @BeforeEach
    void start() throws Exception {
        var limits = new RaftConfig.Limits(1000, 1 << 20, 1000, 1 << 20);
        quorum = new RealQuorum<>(directory, 3, limits, new ProposalCodec(), this::replica);
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        propose(quorum.leader(), new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config));
    }

    @AfterEach
    void stop() throws IOException {
        quorum.close();
        for (var store : stores) {
            store.close();
        }
    }

    @Test
    void whoFollowedALeaderThatIsGoneResumesAtTheNextAndSeesEveryEventOnce() throws Exception {
        var first = quorum.leader();
        var reading = read(first, EventNumber.NONE);
        submit(first, 50);
        reader.awaitJob(20);
        var seen = reading.stop();
        submit(first, 50);

        quorum.stop(first);
        var second = quorum.leader();
        submit(second, 50);
        var resumed = read(second, seen);
        submit(second, 50);
        reader.awaitJob(200);
        resumed.stop();

        assertThat(reader.jobs()).isEqualTo(IntStream.rangeClosed(1, 200).boxed().toList());
        assertThat(reader.numbers()).doesNotHaveDuplicates().isSorted();
        assertThat(reader.resyncs()).as("missed, and told as a snapshot").isEmpty();
    }

    private Reading read(int controller, EventNumber seen) {
        var thread = Executors.newSingleThreadExecutor();
        return new Reading(
                requireNonNull(feeds.get(controller)).follow(seen, reader, thread), thread);
    }

    private record Reading(EventFollower follower, ExecutorService thread) {
        /// What the reader has seen, with what it is just being told.
        EventNumber stop() {
            follower.close();
            thread.close();
            return follower.seen();
        }
    }

    private Replica<Proposal, Result> replica(int number) throws IOException {
        var state = new ReplicatedState();
        var store = BlobStore.open(directory.resolve("blobs" + number));
        stores.add(store);
        var feed = new EventFeed(state, Runnable::run);
        feeds.put(number, feed);
        return new ClusterReplica(
                state, store, Spool.open(directory.resolve("spool" + number)), feed);
    }

    private void submit(int leader, int jobs) throws Exception {
        for (var i = 0; i < jobs; i++) {
            var result =
                    propose(
                            leader,
                            new Command.SubmitJob(
                                    NOW,
                                    "request " + submitted++,
                                    ALICE,
                                    JobFixture.job().spec(),
                                    null,
                                    null));
            assertThat(result).isInstanceOf(Result.Submitted.class);
        }
    }

    private Result propose(int leader, Command command) throws Exception {
        return quorum.log(leader).propose(Proposal.of(command)).get(30, TimeUnit.SECONDS);
    }

    /// Takes events as they come.
    private static final class Reader implements EventFollower.Consumer {
        private final List<Integer> jobs = new ArrayList<>();
        private final List<EventNumber> numbers = new ArrayList<>();
        private final List<EventNumber> resyncs = new ArrayList<>();

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public synchronized void changed(List<NumberedEvent> events) {
            for (var event : events) {
                numbers.add(event.number());
                if (event.event() instanceof Event.JobSubmitted(var job)) {
                    jobs.add(job.id().value());
                }
            }
            notifyAll();
        }

        @Override
        public synchronized void resync(Snapshot snapshot) {
            resyncs.add(snapshot.lastEvent());
            notifyAll();
        }

        synchronized void awaitJob(int job) throws InterruptedException {
            while (!jobs.contains(job) && resyncs.isEmpty()) {
                wait();
            }
        }

        synchronized List<Integer> jobs() {
            return List.copyOf(jobs);
        }

        synchronized List<EventNumber> resyncs() {
            return List.copyOf(resyncs);
        }

        synchronized List<EventNumber> numbers() {
            return List.copyOf(numbers);
        }
    }
}
