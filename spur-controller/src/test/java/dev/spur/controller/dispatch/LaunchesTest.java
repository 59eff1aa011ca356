package dev.spur.controller.dispatch;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.SignedLaunch;
import dev.spur.api.v1.StepLaunch;
import dev.spur.controller.agent.OneThreadController;
import dev.spur.controller.blob.BlobStore;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.StepRequest;
import dev.spur.model.JobId;
import dev.spur.model.MemoryRequest;
import dev.spur.model.StepId;
import dev.spur.model.notation.TimeLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchesTest {
    @TempDir Path directory;
    @AutoClose private BlobStore blobs;
    private final Heart cluster = Heart.with(2, node());
    private Instant now = cluster.now();
    private Launches launches;

    @BeforeEach
    void open() throws IOException {
        blobs = BlobStore.open(directory);
        launches = new Launches(blobs, OneThreadController.CREDENTIALS, () -> now);
    }

    @Test
    void launchIsSignedForItsNodeAlone() {
        var signed = batch(cluster.run(job().on("node2")));
        var bytes = signed.getLaunch().toByteArray();
        var signature = signed.getSignature().toByteArray();

        assertThat(signed.getNode()).isEqualTo("node2");
        assertThat(OneThreadController.CREDENTIALS.keyFor("node2").verifies(bytes, signature))
                .isTrue();
        assertThat(OneThreadController.CREDENTIALS.keyFor("node1").verifies(bytes, signature))
                .isFalse();
    }

    @Test
    void launchCarriesWhatIsLeftOfTheLimitWithoutLosingAMoment() throws Exception {
        var id = cluster.run(job().timeLimit(ofMinutes(1)));
        now = now.plusNanos(1);

        assertThat(launchOf(batch(id)).getRemainingMillis()).isEqualTo(60_000);
    }

    @Test
    void launchOfALaterAttemptSaysSo() throws Exception {
        var id = cluster.run(job());
        cluster.requeue(id.toString(), Heart.ALICE);
        cluster.clean(id);
        cluster.schedule();

        assertThat(launchOf(batch(id)).getAttempt()).isEqualTo(1);
    }

    @Test
    void stepHasOneLaunchForEachOfItsNodes() throws Exception {
        var id = cluster.run(job().nodes(2).tasksPerNode(8));
        var step = ((Result.StepCreated) cluster.step(id, StepRequest.of("step"))).step();

        var signed = step(id, step.id());

        assertThat(signed).extracting(SignedLaunch::getNode).isEqualTo(step.nodeNames());
        assertThat(launchOf(signed.getFirst()).getNodeId()).isZero();
        assertThat(launchOf(signed.getFirst()).getStepId()).isEqualTo(step.id().value());
    }

    @Test
    void launchSaysHowManyTasksTheGpusMean() throws Exception {
        var gpus = Heart.with(1, node().gpus("mi300x", 4));
        var id = gpus.run(job().gpusOfJob(4).gpusPerTask(2));

        var launch = launchOf(batch(gpus, id));

        assertThat(launch.getTasksGiven()).isTrue();
        assertThat(launch.getJobNodes(0).getTasks()).isEqualTo(2);
    }

    @Test
    void stepCarriesWhatIsLeftOfALimitOfItsOwnWithoutLosingAMoment() throws Exception {
        var id = cluster.run(job().timeLimit(ofMinutes(5)));
        var step = ((Result.StepCreated) cluster.step(id, within(TimeLimit.ofMinutes(1)))).step();
        now = now.plusNanos(1);

        assertThat(launchOf(step(id, step.id()).getFirst()).getStepLimitMillis()).isEqualTo(60_000);
        assertThat(launchOf(batch(id)).getStepLimitMillis()).isZero();
    }

    @Test
    void stepWhoseLimitPassedOnTheWayStillHasOne() throws Exception {
        var id = cluster.run(job().timeLimit(ofMinutes(5)));
        var step = ((Result.StepCreated) cluster.step(id, within(TimeLimit.ofMinutes(1)))).step();
        now = now.plus(ofMinutes(2));

        assertThat(launchOf(step(id, step.id()).getFirst()).getStepLimitMillis()).isEqualTo(1);
    }

    private static StepRequest within(TimeLimit limit) {
        return new StepRequest(
                "step",
                0,
                0,
                1,
                0,
                0,
                "",
                "",
                MemoryRequest.UNSPECIFIED,
                "",
                "",
                "",
                false,
                true,
                limit,
                "",
                false,
                false,
                "",
                "",
                "");
    }

    private SignedLaunch batch(JobId id) {
        return batch(cluster, id);
    }

    private SignedLaunch batch(Heart cluster, JobId id) {
        var job = cluster.job(id);
        return launches.batch(
                job,
                Objects.requireNonNull(job.phase().placementOrNull()),
                job.steps().find(StepId.BATCH).orElseThrow(),
                cluster.snapshot(),
                3);
    }

    private List<SignedLaunch> step(JobId id, StepId step) {
        var job = cluster.job(id);
        return launches.step(
                job,
                Objects.requireNonNull(job.phase().placementOrNull()),
                job.steps().find(step).orElseThrow(),
                cluster.snapshot(),
                3);
    }

    private static StepLaunch launchOf(SignedLaunch signed) throws Exception {
        return StepLaunch.parseFrom(signed.getLaunch());
    }
}
