package dev.spur.controller.watch;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.node.NodeListing;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.scheduling.PlanFixture;
import dev.spur.controller.scheduling.SteppedTime;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.account.Accounts;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobVisibility;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.model.fixture.NodeFixture;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchesTest {
    private static final Caller.Person ALICE = person("alice", 1002, Role.USER);
    private static final Caller.Person BOB = person("bob", 1003, Role.USER);
    private static final Caller.Person ROOT = person("root", 0, Role.ADMIN);
    private static final WatchRequest JOBS = WatchRequest.newBuilder().setJobs(true).build();

    @TempDir Path directory;

    private final ReplicatedState state = new ReplicatedState();
    private final Queue<Runnable> telling = new ArrayDeque<>();
    private final EventFeed feed = new EventFeed(state, Runnable::run);
    private final Plan plan = new Plan(state);
    private JobVisibility visible = JobVisibility.FULL;
    private final SteppedTime time = new SteppedTime();
    private final Rows rows =
            new Rows(
                    new Visibility(() -> visible, () -> Accounts.INITIAL),
                    time,
                    Integer::toString,
                    plan,
                    new NodeListing(state, _ -> Optional.empty(), _ -> Set.of(), time));
    private final Watches watches = new Watches(state, rows, plan, time, telling::add, time);
    private ClusterReplica replica;
    private long entries;
    private final AutoCloseable reign = watches.lead(1);

    @BeforeEach
    void start() throws IOException {
        replica =
                new ClusterReplica(
                        state,
                        BlobStore.open(directory.resolve("blobs")),
                        Spool.open(directory.resolve("spool")),
                        feed);
        feed.subscribe(watches);
        apply(
                new Command.ApplyConfig(
                        time.instant(),
                        "",
                        Actor.CLUSTER,
                        new ClusterConfig(
                                "test",
                                List.of(PartitionSpec.of("debug", true, "ALL")),
                                List.of(NodeSpec.of("node[1-2]", NodeFixture.node().shape())),
                                ClusterRules.DEFAULTS)));
    }

    @Test
    void everythingAsItIsComesFirstAndThenWhatChanges() {
        var first = submit("alice", 1002);
        var reader = watch(JOBS, ALICE);
        tell();

        assertThat(reader.heard.getFirst().getBeginsAnew()).isTrue();
        assertThat(reader.heard.getLast().getIsCurrent()).isTrue();
        assertThat(reader.jobs()).containsExactly(first.value());

        var second = submit("bob", 1003);
        pass(Duration.ofSeconds(1));

        assertThat(reader.jobs()).containsExactly(first.value(), second.value());
        assertThat(reader.heard.getLast().getBeginsAnew()).isFalse();
    }

    @Test
    void whatChangesOftenIsToldAsItIsWhenTheWatcherIsReady() {
        var id = submit("alice", 1002);
        var reader = watch(JOBS, ALICE);
        tell();
        reader.reads = false;
        for (var i = 1; i <= 100; i++) {
            comment(id, "change " + i);
        }
        pass(Duration.ofSeconds(1));
        assertThat(reader.comments()).containsExactly("");

        reader.readsAgain();
        pass(Duration.ofSeconds(1));

        assertThat(reader.comments()).containsExactly("", "change 100");
    }

    @Test
    void nobodyIsToldMoreOftenThanHisPace() {
        var id = submit("alice", 1002);
        var reader = watch(JOBS.toBuilder().setPaceMillis(10_000).build(), ALICE);
        tell();
        comment(id, "soon");
        pass(Duration.ofSeconds(2));
        assertThat(reader.comments()).containsExactly("");

        pass(Duration.ofSeconds(9));
        assertThat(reader.comments()).containsExactly("", "soon");
    }

    @Test
    void whoComesBackGoesOnWhereHeLeftOff() {
        submit("alice", 1002);
        var reader = watch(JOBS, ALICE);
        tell();
        reader.onCancel.run();
        var second = submit("alice", 1002);

        var again = watch(JOBS.toBuilder().setCursor(reader.cursor()).build(), ALICE);
        pass(Duration.ofSeconds(1));

        assertThat(again.heard).noneMatch(WatchReply::getBeginsAnew);
        assertThat(again.jobs()).containsExactly(second.value());
        assertThat(again.heard.getLast().getIsCurrent()).isTrue();
    }

    @Test
    void whoComesBackTooLateOrFromElsewhereHearsEverything() {
        var id = submit("alice", 1002);
        for (var cursor : List.of("999999999:1:0:1", "nonsense", "1:2:3")) {
            var reader = watch(JOBS.toBuilder().setCursor(cursor).build(), ALICE);
            pass(Duration.ofSeconds(1));

            assertThat(reader.heard.getFirst().getBeginsAnew()).as(cursor).isTrue();
            assertThat(reader.jobs()).containsExactly(id.value());
        }
    }

    @Test
    void jobsOfOthersAreNotToldWhereTheyAreNotToBeSeen() {
        visible = JobVisibility.OWNER_ONLY;
        var own = submit("alice", 1002);
        submit("bob", 1003);
        var reader = watch(JOBS.toBuilder().setPlan(true).build(), ALICE);
        tell();
        var bobs = submit("bob", 1003);
        comment(bobs, "secret");
        pass(Duration.ofSeconds(1));

        assertThat(reader.jobs()).containsExactly(own.value());
        assertThat(reader.heard)
                .flatExtracting(WatchReply::getPlanList)
                .allSatisfy(planned -> assertThat(planned.getJobId()).isEqualTo(own.value()));
    }

    @Test
    void onlyThoseAreToldWhoAreAskedFor() {
        var own = submit("alice", 1002);
        var other = submit("bob", 1003);

        var hers = watch(JOBS.toBuilder().setOwn(true).build(), ALICE);
        var his = watch(JOBS.toBuilder().addUsers("bob").build(), ALICE);
        var one = watch(JOBS.toBuilder().addJobIds(other.value()).build(), ALICE);
        tell();

        assertThat(hers.jobs()).containsExactly(own.value());
        assertThat(his.jobs()).containsExactly(other.value());
        assertThat(one.jobs()).containsExactly(other.value());
    }

    @Test
    void nodesAndPartitionsAreToldWithTheirChanges() {
        var reader =
                watch(WatchRequest.newBuilder().setNodes(true).setPartitions(true).build(), ALICE);
        tell();
        assertThat(reader.nodes()).containsExactly("node1", "node2");
        assertThat(reader.heard).flatExtracting(WatchReply::getPartitionsList).hasSize(1);

        apply(
                new Command.RegisterNode(
                        time.instant(), "node2", NodeFixture.node().report("node2"), List.of()));
        pass(Duration.ofSeconds(1));

        assertThat(reader.nodes()).containsExactly("node1", "node2", "node2");
    }

    @Test
    void whatTheSchedulerThinksIsNews() {
        var id = submit("alice", 1002);
        var reader = watch(WatchRequest.newBuilder().setPlan(true).build(), ALICE);
        tell();
        reader.heard.clear();

        PlanFixture.expect(plan, id, time.instant().plusSeconds(60));
        pass(Duration.ofSeconds(1));

        assertThat(reader.heard)
                .flatExtracting(WatchReply::getPlanList)
                .singleElement()
                .satisfies(planned -> assertThat(planned.getStartMicros()).isPositive());
    }

    @Test
    void whoWantsASignalGetsNoRows() {
        submit("alice", 1002);
        var reader = watch(JOBS.toBuilder().setSignalOnly(true).build(), ALICE);
        tell();
        var before = reader.heard.size();
        submit("alice", 1002);
        pass(Duration.ofSeconds(1));

        assertThat(reader.heard).hasSize(before + 1);
        assertThat(reader.jobs()).isEmpty();
    }

    @Test
    void tenThousandJobsComeInPiecesAsFastAsTheyAreRead() {
        for (var i = 0; i < 1_000; i++) {
            submit("alice", 1002);
        }
        var reader = watch(JOBS, ALICE);
        reader.takesAtOnce = 1;
        for (var i = 0; i < 100 && !reader.isCurrent(); i++) {
            pass(Duration.ofSeconds(1));
            reader.readsAgain();
        }

        assertThat(reader.isCurrent()).isTrue();
        assertThat(reader.jobs()).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(reader.heard)
                .allSatisfy(reply -> assertThat(reply.getJobsCount()).isLessThan(300));
    }

    /// What was not told of those that are gone would grow as long as somebody reads slowly.
    @Test
    void whoMissesThatThousandsAreGoneBeginsAnew() {
        var ids = new ArrayList<JobSelector>();
        for (var i = 0; i < 10_100; i++) {
            ids.add(JobSelector.of(submit(i % 2 == 0 ? "alice" : "bob", i % 2 == 0 ? 1002 : 1003)));
        }
        var reader = watch(JOBS, ROOT);
        pass(Duration.ofSeconds(10));
        reader.reads = false;
        var heardBefore = reader.heard.size();
        apply(new Command.CancelJobs(time.instant(), "", ROOT.actor(), ids));
        time.advance(Duration.ofMinutes(10));
        while (state.snapshot().jobs().size() > 0) {
            apply(new Command.AdvanceTime(time.instant()));
        }

        reader.readsAgain();
        pass(Duration.ofSeconds(10));

        var heard = reader.heard.subList(heardBefore, reader.heard.size());
        assertThat(heard.getFirst().getBeginsAnew()).isTrue();
        assertThat(heard.getFirst().getGoneJobsList()).isEmpty();
        assertThat(heard.getLast().getIsCurrent()).isTrue();
    }

    @Test
    void aUserHasSoManyWatchesAndGetsThemBack() {
        var readers = new ArrayList<Reader>();
        for (var i = 0; i < 50; i++) {
            readers.add(watch(JOBS, ALICE));
        }
        assertThatThrownBy(() -> watch(JOBS, ALICE))
                .isInstanceOfSatisfying(
                        SpurException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT_REACHED));
        watch(JOBS, BOB);

        readers.getFirst().onCancel.run();
        watch(JOBS, ALICE);
        assertThat(watches.count()).isEqualTo(51);
    }

    @Test
    void whoNoLongerLeadsSendsEverybodyAway() throws Exception {
        var reader = watch(JOBS, ROOT);
        tell();

        reign.close();

        assertThat(reader.hungUp).isNotNull();
        assertThat(watches.count()).isZero();
    }

    @Test
    void nobodyWatchesForEverWithoutHisRightsBeingLookedAtAgain() {
        var reader = watch(JOBS, ALICE);
        tell();
        pass(Duration.ofHours(1));
        submit("alice", 1002);
        pass(Duration.ofSeconds(1));

        assertThat(reader.hungUp).isNotNull();
    }

    private Reader watch(WatchRequest request, Caller.Person caller) {
        var reader = new Reader();
        watches.watch(request, caller, reader);
        return reader;
    }

    private JobId submit(String user, int uid) {
        var actor = new Actor(uid, user, "login", Role.USER, Actor.Origin.DOOR);
        var result =
                apply(
                        new Command.SubmitJob(
                                time.instant(), "", actor, job().of(uid, user).spec(), null, null));
        return ((Result.Submitted) result).job();
    }

    private void comment(JobId id, String text) {
        apply(
                new Command.UpdateJobs(
                        time.instant(),
                        "",
                        ROOT.actor(),
                        List.of(JobSelector.of(id)),
                        List.of(new JobChange.SetComment(text))));
    }

    private Result apply(Command command) {
        var result = replica.apply(++entries, List.of(new Proposal(command, List.of()))).getFirst();
        feed.signal();
        return result;
    }

    private void tell() {
        for (var task = telling.poll(); task != null; task = telling.poll()) {
            task.run();
        }
    }

    /// Time passes, in steps, and what falls due in it is told.
    private void pass(Duration span) {
        for (var i = 0; i < 10; i++) {
            time.advance(span.dividedBy(10));
            tell();
        }
    }

    private static Caller.Person person(String name, int uid, Role role) {
        return new Caller.Person(
                new Actor(uid, name, "login", role, Actor.Origin.DOOR), uid, List.of());
    }

    private static final class Reader extends ServerCallStreamObserver<WatchReply> {
        final List<WatchReply> heard = new ArrayList<>();
        boolean reads = true;
        int takesAtOnce = Integer.MAX_VALUE;
        private int taken;
        @Nullable Throwable hungUp;
        Runnable onCancel = () -> {};
        private Runnable onReady = () -> {};

        void readsAgain() {
            reads = true;
            taken = 0;
            onReady.run();
        }

        List<Integer> jobs() {
            return heard.stream()
                    .flatMap(reply -> reply.getJobsList().stream())
                    .map(Job::getJobId)
                    .toList();
        }

        List<String> comments() {
            return heard.stream()
                    .flatMap(reply -> reply.getJobsList().stream())
                    .map(Job::getComment)
                    .toList();
        }

        List<String> nodes() {
            return heard.stream()
                    .flatMap(reply -> reply.getNodesList().stream())
                    .map(Node::getName)
                    .toList();
        }

        String cursor() {
            return heard.getLast().getCursor();
        }

        boolean isCurrent() {
            return !heard.isEmpty() && heard.getLast().getIsCurrent();
        }

        @Override
        public void onNext(WatchReply reply) {
            assertThat(isReady()).isTrue();
            heard.add(reply);
            taken++;
        }

        @Override
        public boolean isReady() {
            return reads && taken < takesAtOnce;
        }

        @Override
        public void onCompleted() {}

        @Override
        public void onError(Throwable why) {
            hungUp = why;
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
