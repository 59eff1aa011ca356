package dev.spur.controller.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.NumberedEvent;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventFollowerTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
    private static final Actor ROOT = new Actor(0, "root", "login", Role.ADMIN, Actor.Origin.DOOR);

    /// More than the ring of events holds.
    private static final int MANY = 70_000;

    private final ReplicatedState state = new ReplicatedState();
    private final EventFeed feed = new EventFeed(state, Runnable::run);
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Reader reader = new Reader();
    private final List<Command> log = new ArrayList<>();

    @BeforeEach
    void configure() {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        apply(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config));
    }

    @Test
    void consumerThatWasStoppedResumesAndSeesEveryEventOnce() {
        var follower = follow(state.snapshot().lastEvent());
        submit(3);
        runAll();
        follower.close();
        submit(3);
        runAll();
        assertThat(reader.jobs).containsExactly(1, 2, 3);

        follow(follower.seen());
        submit(3);
        runAll();

        assertThat(reader.jobs).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(reader.numbers).doesNotHaveDuplicates().isSorted();
        assertThat(reader.resyncs).isEmpty();
    }

    @Test
    void consumerResumesAtAnotherControllerThatAppliesTheSameLog() {
        var follower = follow(state.snapshot().lastEvent());
        submit(2);
        runAll();
        follower.close();
        submit(2);

        var other = new ReplicatedState();
        for (var i = 0; i < log.size(); i++) {
            other.enter(i + 1);
            other.apply(log.get(i));
        }
        other.publish();
        new EventFeed(other, Runnable::run).follow(follower.seen(), reader, tasks::add);
        runAll();

        assertThat(reader.jobs).containsExactly(1, 2, 3, 4);
        assertThat(reader.numbers).doesNotHaveDuplicates().isSorted();
        assertThat(reader.resyncs).isEmpty();
    }

    @Test
    void consumerWhoseThreadsAreGoneKeepsNobodyElseFromHearing() {
        var isShutDown = new boolean[1];
        var gone = new Reader();
        feed.follow(
                state.snapshot().lastEvent(),
                gone,
                task -> {
                    if (isShutDown[0]) {
                        throw new RejectedExecutionException("shut down");
                    }
                    task.run();
                });
        follow(state.snapshot().lastEvent());
        submit(1);
        runAll();

        isShutDown[0] = true;
        submit(2);
        runAll();

        assertThat(reader.jobs).containsExactly(1, 2, 3);
        assertThat(gone.jobs).containsExactly(1);
    }

    @Test
    void consumerThatIsNotReadyIsLeftInPeaceAndMissesNothing() {
        var follower = follow(state.snapshot().lastEvent());
        submit(1);
        runAll();

        reader.isReady = false;
        submit(5);
        runAll();
        assertThat(reader.jobs).containsExactly(1);

        reader.isReady = true;
        follower.wake();
        runAll();
        assertThat(reader.jobs).containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void submissionsGoOnWhileAConsumerStandsStill() {
        follow(state.snapshot().lastEvent());
        reader.isReady = false;

        submit(MANY);

        assertThat(state.snapshot().jobs().size()).isEqualTo(MANY);
        assertThat(tasks).as("whatever happens, one task waits for the consumer").hasSize(1);
    }

    @Test
    void consumerThatFellBehindGoesOnFromASnapshotAndSeesWhatFollowsOnce() {
        follow(state.snapshot().lastEvent());
        runAll();
        submit(MANY);
        runAll();
        assertThat(reader.resyncs).containsExactly(state.snapshot().lastEvent());
        assertThat(reader.jobs).isEmpty();

        submit(2);
        runAll();

        assertThat(reader.jobs).containsExactly(MANY + 1, MANY + 2);
    }

    @Test
    void consumerOfARestartedControllerIsBehindOnlyIfItHasMissedSomething() {
        var before = state.snapshot().lastEvent();
        submit(2);
        state.replace(copy());

        follow(state.snapshot().lastEvent());
        runAll();
        assertThat(reader.resyncs).isEmpty();

        follow(before);
        runAll();
        assertThat(reader.resyncs).containsExactly(state.snapshot().lastEvent());
    }

    @Test
    void consumerThatFailsIsLetGoAndCanResumeAtWhatItHadNotTaken() {
        var follower = follow(state.snapshot().lastEvent());
        submit(1);
        runAll();
        reader.isBroken = true;
        submit(1);
        runAll();
        reader.isBroken = false;
        submit(1);
        runAll();
        assertThat(reader.jobs).containsExactly(1);

        follow(follower.seen());
        runAll();

        assertThat(reader.jobs).containsExactly(1, 2, 3);
    }

    private static final class Reader implements EventFollower.Consumer {
        final List<Integer> jobs = new ArrayList<>();
        final List<EventNumber> numbers = new ArrayList<>();
        final List<EventNumber> resyncs = new ArrayList<>();
        boolean isReady = true;
        boolean isBroken;

        @Override
        public boolean isReady() {
            return isReady;
        }

        @Override
        public void changed(List<NumberedEvent> events) {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
            for (var event : events) {
                numbers.add(event.number());
                if (event.event() instanceof Event.JobSubmitted(var job)) {
                    jobs.add(job.id().value());
                }
            }
        }

        @Override
        public void resync(Snapshot snapshot) {
            resyncs.add(snapshot.lastEvent());
        }
    }

    private EventFollower follow(EventNumber seen) {
        return feed.follow(seen, reader, tasks::add);
    }

    private void submit(int jobs) {
        for (var i = 0; i < jobs; i++) {
            apply(
                    new Command.SubmitJob(
                            NOW,
                            "request " + log.size(),
                            ROOT,
                            JobFixture.job().spec(),
                            null,
                            null));
        }
    }

    private void apply(Command command) {
        log.add(command);
        state.enter(log.size());
        state.apply(command);
        state.publish();
        feed.signal();
    }

    private void runAll() {
        for (var next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    /// As after a restart from a snapshot.
    private ClusterState copy() {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(state.snapshot(), bytes::write);
        return SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);
    }
}
