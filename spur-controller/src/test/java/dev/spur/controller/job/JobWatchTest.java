package dev.spur.controller.job;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.scheduling.PlanFixture;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.account.Accounts;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobVisibility;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobWatchTest {
    private static final Caller.Person ALICE = person("alice", 1002);
    private static final Caller.Person BOB = person("bob", 1003);

    @TempDir Path directory;

    private final ReplicatedState state = new ReplicatedState();
    private final Queue<Runnable> telling = new ArrayDeque<>();
    private final EventFeed feed = new EventFeed(state, Runnable::run);
    private JobVisibility visible = JobVisibility.FULL;
    private Instant now = Instant.parse("2026-11-16T12:00:00Z");
    private final Plan plan = new Plan(state);
    private boolean namesAreKnown = true;
    private final JobWatch watch =
            new JobWatch(
                    state,
                    new Visibility(() -> visible, () -> Accounts.INITIAL),
                    () -> now,
                    this::groupName,
                    plan,
                    telling::add);
    private ClusterReplica replica;
    private long entries;

    @BeforeEach
    void start() throws IOException {
        replica =
                new ClusterReplica(
                        state,
                        BlobStore.open(directory.resolve("blobs")),
                        Spool.open(directory.resolve("spool")),
                        feed);
        feed.subscribe(watch);
        apply(
                new Command.ApplyConfig(
                        now,
                        "",
                        Actor.CLUSTER,
                        new ClusterConfig(
                                "test",
                                List.of(PartitionSpec.of("debug", true, "ALL")),
                                List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                                ClusterRules.DEFAULTS)));
    }

    @Test
    void theFirstWordIsHowTheJobIsWhenItIsSaid() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);

        comment(id, "changed before anything was told");
        tellAll();

        assertThat(alice.comments()).containsExactly("changed before anything was told");
    }

    @Test
    void whoDoesNotReadIsToldNothingAndWhoReadsAgainHowItIs() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();
        alice.reads = false;

        for (var i = 1; i <= 100; i++) {
            comment(id, "change " + i);
            tellAll();
        }
        assertThat(alice.comments()).containsExactly("");
        alice.readsAgain();
        tellAll();

        assertThat(alice.comments()).containsExactly("", "change 100");
    }

    @Test
    void whatTheSchedulerExpectsIsToldWhenItChanges() {
        var id = submit(job());
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();

        PlanFixture.expect(plan, id, now.plusSeconds(600));
        tellAll();
        PlanFixture.expect(plan, id, now.plusSeconds(1200));
        tellAll();

        assertThat(alice.heard.stream().map(update -> update.getJob().getStartMicros()).skip(1))
                .containsExactly(
                        InstantMapper.toMicros(now.plusSeconds(600)),
                        InstantMapper.toMicros(now.plusSeconds(1200)));
    }

    @Test
    void whoCannotBeToldAnyMoreHearsThatItIsOver() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();

        namesAreKnown = false;
        comment(id, "changed");
        tellAll();
        assertThat(alice.hungUp).isInstanceOf(StatusRuntimeException.class);
        namesAreKnown = true;
        comment(id, "changed again");
        tellAll();

        assertThat(alice.comments()).containsExactly("");
    }

    @Test
    void theEndIsTheLastWord() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();

        cancel(id);
        tellAll();
        comment(id, "too late");
        tellAll();

        assertThat(alice.heard.getLast().getEnded()).isTrue();
        assertThat(alice.heard).hasSize(2);
        assertThat(alice.completed).isTrue();
    }

    @Test
    void theEndOfAJobThatIsForgottenMeanwhileIsToldAllTheSame() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();
        alice.reads = false;

        cancel(id);
        forgetEnded();
        alice.readsAgain();
        tellAll();

        assertThat(alice.heard.getLast().getJob().getState()).isEqualTo("CANCELLED");
        assertThat(alice.completed).isTrue();
    }

    /// The record that has the array's id is that of one task, and that one may be the first to
    /// end.
    @Test
    void anArrayIsWatchedUntilItsLastTaskHasEnded() {
        var array = submit(job().array("1-2").held());
        var early = new Reader();
        watch.watch(requestWithTasks(array), ALICE, early);
        hold(array + "_1");
        cancel(array + "_2");
        advance();
        assertThat(state.snapshot().job(array)).isEmpty();
        var late = new Reader();
        watch.watch(requestWithTasks(array), ALICE, late);
        tellAll();
        assertThat(early.completed).isFalse();
        assertThat(late.completed).isFalse();

        cancel(array + "_1");
        tellAll();

        assertThat(early.heard.getLast().getEnded()).isTrue();
        assertThat(early.completed).isTrue();
        assertThat(late.heard.getLast().getEnded()).isTrue();
        assertThat(late.completed).isTrue();
    }

    /// The state is ahead of the events that tell of it.
    @Test
    void theEndOfAnArrayIsNotToldBeforeTheEndOfEachTask() {
        var array = submit(job().array("1-3").held());
        var behind =
                new JobWatch(
                        state,
                        new Visibility(() -> visible, () -> Accounts.INITIAL),
                        () -> now,
                        this::groupName,
                        plan,
                        telling::add);
        var alice = new Reader();
        behind.watch(requestWithTasks(array), ALICE, alice);
        tellAll();
        alice.heard.clear();
        List.of("_1", "_2", "_3").forEach(task -> cancel(array + task));

        behind.changed(List.of(new Event.JobEnded(state.snapshot().job(array).orElseThrow())));
        tellAll();

        assertThat(alice.heard.stream().map(update -> update.getJob().getJobId()).distinct())
                .hasSize(3);
        assertThat(alice.heard.stream().map(JobUpdate::getEnded))
                .containsExactly(false, false, true);
        assertThat(alice.completed).isTrue();
    }

    /// Between the look at the job and the first word the job may be forgotten, unheard.
    @Test
    void nobodyWaitsForAJobThatWasForgottenWhenHeBeganToWatch() {
        var id = submit();
        cancel(id);
        var alice = new Reader();
        feed.unsubscribe(watch);
        watch.watch(request(id), ALICE, alice);
        forgetEnded();

        tellAll();

        assertThat(alice.completed).isTrue();
    }

    @Test
    void whoLeavesIsToldNothingMore() {
        var id = submit();
        var alice = new Reader();
        watch.watch(request(id), ALICE, alice);
        tellAll();

        alice.onCancel.run();
        comment(id, "nobody hears this");
        tellAll();

        assertThat(alice.comments()).containsExactly("");
    }

    @Test
    void whatOneMayNotSeeIsNotThere() {
        var id = submit();
        visible = JobVisibility.OWNER_ONLY;

        assertThatThrownBy(() -> watch.watch(request(id), BOB, new Reader()))
                .hasMessageContaining("Invalid job id specified");
    }

    private JobId submit() {
        return submit(job().held());
    }

    private JobId submit(JobFixture job) {
        var result = apply(new Command.SubmitJob(now, "", ALICE.actor(), job.spec(), null, null));
        return ((Result.Submitted) result).job();
    }

    private void comment(JobId id, String text) {
        apply(
                new Command.UpdateJobs(
                        now,
                        "",
                        ALICE.actor(),
                        List.of(JobSelector.of(id)),
                        List.of(new JobChange.SetComment(text))));
    }

    private void hold(String selector) {
        var jobs = List.of(JobSelector.parse(selector));
        apply(new Command.HoldJobs(now, "", ALICE.actor(), jobs, true));
    }

    private void cancel(JobId id) {
        cancel(id.toString());
    }

    private void cancel(String selector) {
        var jobs = List.of(JobSelector.parse(selector));
        apply(new Command.CancelJobs(now, "", ALICE.actor(), jobs));
    }

    private void forgetEnded() {
        advance();
        assertThat(state.snapshot().jobs()).isEmpty();
    }

    private void advance() {
        now = now.plus(Duration.ofDays(2));
        apply(new Command.AdvanceTime(now));
    }

    private Result apply(Command command) {
        return replica.apply(++entries, List.of(new Proposal(command, List.of()))).getFirst();
    }

    private void tellAll() {
        for (var next = telling.poll(); next != null; next = telling.poll()) {
            next.run();
        }
    }

    private static WatchJobRequest request(JobId id) {
        return WatchJobRequest.newBuilder().setJobId(id.value()).build();
    }

    private static WatchJobRequest requestWithTasks(JobId id) {
        return WatchJobRequest.newBuilder().setJobId(id.value()).setIncludeArrayTasks(true).build();
    }

    private static Caller.Person person(String name, int uid) {
        return new Caller.Person(
                new Actor(uid, name, "login", Role.USER, Actor.Origin.DOOR), uid, List.of(uid));
    }

    private String groupName(int gid) {
        if (!namesAreKnown) {
            throw new IllegalStateException("the name service fails");
        }
        return "group" + gid;
    }

    private static final class Reader extends ServerCallStreamObserver<JobUpdate> {
        final List<JobUpdate> heard = new ArrayList<>();
        boolean reads = true;
        boolean completed;
        @Nullable Throwable hungUp;
        Runnable onCancel = () -> {};
        private Runnable onReady = () -> {};

        void readsAgain() {
            reads = true;
            onReady.run();
        }

        List<String> comments() {
            return heard.stream().map(update -> update.getJob().getComment()).toList();
        }

        @Override
        public void onNext(JobUpdate update) {
            assertThat(reads).isTrue();
            heard.add(update);
        }

        @Override
        public void onCompleted() {
            completed = true;
        }

        @Override
        public void onError(Throwable why) {
            hungUp = why;
        }

        @Override
        public boolean isReady() {
            return reads;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            onReady = handler;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {
            onCancel = handler;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCloseHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}
    }
}
