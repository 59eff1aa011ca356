package dev.spur.controller.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventFeedTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");

    /// Nobody else may have as many jobs as it takes to fall behind.
    private static final Actor ROOT = new Actor(0, "root", "login", Role.ADMIN, Actor.Origin.DOOR);

    private final ReplicatedState state = new ReplicatedState();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final EventFeed feed = new EventFeed(state, waiting::add);
    private final Hearer hearer = new Hearer();
    private long entries;

    @BeforeEach
    void configure() {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        state.apply(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, config));
        state.publish();
    }

    @Test
    void whoeverSubscribesFirstLooksAtTheStateAsItIs() {
        submit();

        subscribe(hearer);

        assertThat(hearer.jobsAtResync).containsExactly(1);
    }

    @Test
    void eventsAreHeardInOrderAndOnce() {
        subscribe(hearer);
        hearer.events.clear();

        submit();
        submit();
        runAll();
        submit();
        runAll();

        assertThat(hearer.events).doesNotHaveDuplicates();
        assertThat(hearer.jobsSeen()).containsExactly(1, 2, 3);
    }

    @Test
    void whoFallsFarBehindIsToldToLookAgain() {
        subscribe(hearer);
        hearer.jobsAtResync.clear();

        for (var i = 0; i < 70_000; i++) {
            submit();
        }
        runAll();

        assertThat(hearer.jobsAtResync).containsExactly(70_000);
    }

    @Test
    void whenEverythingIsReplacedEverybodyLooksAgain() {
        subscribe(hearer);
        submit();
        runAll();
        hearer.jobsAtResync.clear();

        state.replace(further());
        feed.signal();
        runAll();

        assertThat(hearer.jobsAtResync).containsExactly(0);
    }

    @Test
    void aListenerThatFailsDoesNotKeepTheOthersFromHearing() {
        subscribe(
                new Hearer() {
                    @Override
                    public void changed(List<Event> news) {
                        throw new IllegalStateException("broken");
                    }
                });
        subscribe(hearer);

        submit();
        runAll();

        assertThat(hearer.jobsSeen()).containsExactly(1);
    }

    @Test
    void whoHasUnsubscribedHearsNoMore() {
        subscribe(hearer);
        hearer.events.clear();

        feed.unsubscribe(hearer);
        submit();
        runAll();

        assertThat(hearer.events).isEmpty();
    }

    /// A leadership may be over before the feed gets to its beginning.
    @Test
    void whoUnsubscribesBeforeItsTurnHearsNothing() {
        feed.subscribe(hearer);
        feed.unsubscribe(hearer);
        runAll();
        hearer.events.clear();

        submit();
        runAll();

        assertThat(hearer.events).isEmpty();
    }

    @Test
    void whoComesAndGoesOftenHearsEverythingOnce() {
        feed.subscribe(hearer);
        feed.unsubscribe(hearer);
        feed.subscribe(hearer);
        runAll();
        hearer.events.clear();

        submit();
        runAll();

        assertThat(hearer.jobsSeen()).containsExactly(1);
    }

    private static class Hearer implements EventFeed.Listener {
        final List<Event> events = new ArrayList<>();
        final List<Integer> jobsAtResync = new ArrayList<>();

        @Override
        public void changed(List<Event> news) {
            events.addAll(news);
        }

        @Override
        public void resync(Snapshot snapshot) {
            var count = 0;
            for (var _ : snapshot.jobs()) {
                count++;
            }
            jobsAtResync.add(count);
        }

        List<Integer> jobsSeen() {
            return events.stream()
                    .filter(Event.JobSubmitted.class::isInstance)
                    .map(event -> ((Event.JobSubmitted) event).job().id().value())
                    .toList();
        }
    }

    private void submit() {
        state.enter(++entries);
        state.apply(
                new Command.SubmitJob(
                        NOW, "request " + entries, ROOT, JobFixture.job().spec(), null, null));
        state.publish();
        feed.signal();
    }

    /// As from a snapshot of another controller.
    private ClusterState further() {
        var other = new ClusterState();
        other.enter(entries + 100);
        other.apply(new Command.ApplyConfig(NOW, "", Actor.CLUSTER, state.snapshot().config()));
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(other.publish(), bytes::write);
        return SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);
    }

    private void subscribe(Hearer listener) {
        feed.subscribe(listener);
        runAll();
    }

    private void runAll() {
        for (var next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
