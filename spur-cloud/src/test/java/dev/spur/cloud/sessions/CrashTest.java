package dev.spur.cloud.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cloud.TestCloud;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// M02: the daemon ends between any two things that it writes down, and whoever comes after it
/// makes sessions and jobs the same.
class CrashTest {
    private final FakeCluster cluster = new FakeCluster();
    private final TestCloud cloud = TestCloud.on(cluster);

    @AfterEach
    void stop() {
        cloud.close();
    }

    /// What `kill -9` is to everything after it.
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /// One life of the daemon, which ends at a step, if it comes to it.
    private final class Life {
        final SessionStore store = new SessionStore(cloud.db());
        final Launches launches;
        final Reconciler reconciler;

        Life(Steps steps) {
            var config = dev.spur.cloud.config.SessionsSection.DEFAULTS;
            var db = cloud.db();
            launches =
                    new Launches(
                            store,
                            cluster,
                            new dev.spur.cloud.projects.Projects(db),
                            SealedSecrets.open(
                                    dev.spur.cloud.config.AuthSection.DEFAULTS, cloud.state()),
                            config,
                            cloud::now,
                            steps);
            reconciler =
                    new Reconciler(
                            db,
                            store,
                            cluster,
                            launches,
                            new Attention(store, cluster, launches, config),
                            cloud::now,
                            steps);
        }
    }

    private static Steps dyingAt(Steps.Step end) {
        return step -> {
            if (step == end) {
                throw new Killed();
            }
        };
    }

    static Stream<Arguments> everyStepWithAndWithoutItsAnswer() {
        return Arrays.stream(Steps.Step.values())
                .flatMap(step -> Stream.of(Arguments.of(step, false), Arguments.of(step, true)));
    }

    /// A life that launches, sees it run, ends it and sees the end; killed at one step of it.
    @ParameterizedTest
    @MethodSource("everyStepWithAndWithoutItsAnswer")
    void afterADeathAtAnyStepSessionsAndJobsAreTheSame(Steps.Step death, boolean losesAnswers) {
        var id = session();
        cluster.loseAnswers(losesAnswers);
        try {
            live(new Life(dyingAt(death)), id);
        } catch (Killed _) {
            // the next life has what was written down, and nothing else
        }
        cluster.loseAnswers(false);
        var next = new Life(Steps.NONE);
        for (var i = 0; i < 3; i++) {
            cloud.advance(Duration.ofMinutes(1));
            next.reconciler.sweep();
        }
        var jobs = cluster.jobs();
        var found = next.store.find(id);
        if (found.isEmpty()) {
            assertThat(jobs).isEmpty(); // it was never promised
            return;
        }
        var session = found.get();
        assertThat(jobs).hasSize(1);
        var job = jobs.getFirst();
        assertThat(session.job()).isEqualTo(job.job());
        assertThat(session.state().isOver()).isEqualTo(job.state().isOver());
        if (session.stopRequestedAt() != null) {
            assertThat(session.state()).isEqualTo(SessionState.CANCELLED);
            assertThat(session.endedAt()).isEqualTo(job.endedAt());
        }
        assertThat(session.startedAt()).isEqualTo(job.startedAt());
    }

    private void live(Life life, UUID id) {
        life.launches.launch(new SessionStore.Intent(planned(id), null, new byte[0]));
        for (var job : cluster.jobs()) {
            cluster.run(job.job(), cloud.now(), cloud.now().plus(Duration.ofHours(4)));
        }
        cluster.follow("", (jobs, _, _, _) -> jobs.forEach(life.reconciler::take));
        life.launches.stop(id, "ended by its owner");
        life.reconciler.sweep();
    }

    private UUID session() {
        person();
        return UUID.randomUUID();
    }

    private UUID owner = UUID.randomUUID();

    private void person() {
        var token = cloud.administrator();
        owner = UUID.fromString(cloud.get("/api/users/me", TestCloud.by(token)).text("id"));
    }

    private Session planned(UUID id) {
        return new Session(
                id,
                owner,
                null,
                "s",
                SessionState.CREATING,
                null,
                "native",
                "mi300x",
                1,
                1,
                0,
                0,
                null,
                "native",
                null,
                240,
                null,
                false,
                Map.of(),
                new byte[0],
                new dev.spur.cloud.cluster.UnixAccount(200_001, "root-2", false),
                id.toString(),
                null,
                0,
                null,
                cloud.now(),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                1);
    }

    /// D8: a session that was written down and never submitted stayed `creating` for ever.
    @ParameterizedTest
    @MethodSource("twoWays")
    void anIntentThatWasNeverSubmittedIsSubmittedLater(boolean stopped) {
        var id = session();
        try {
            new Life(dyingAt(Steps.Step.INTENT_STORED))
                    .launches.launch(new SessionStore.Intent(planned(id), null, new byte[0]));
        } catch (Killed _) {
            // as above
        }
        var next = new Life(Steps.NONE);
        if (stopped) {
            // D9: ended before its job was known, it stayed `stopping` for ever.
            next.launches.stop(id, "ended by its owner");
        }
        cloud.advance(Duration.ofMinutes(1));
        next.reconciler.sweep();
        next.reconciler.sweep();

        assertThat(cluster.jobs()).hasSize(1);
        assertThat(next.store.find(id).orElseThrow().state())
                .isEqualTo(stopped ? SessionState.CANCELLED : SessionState.PENDING);
        if (stopped) {
            assertThat(cluster.submission(cluster.jobs().getFirst().job()).held()).isTrue();
        }
    }

    static List<Boolean> twoWays() {
        return List.of(false, true);
    }
}
