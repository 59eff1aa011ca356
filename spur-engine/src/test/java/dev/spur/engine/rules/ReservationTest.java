package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.START;
import static dev.spur.engine.fixture.ReservationFixture.change;
import static dev.spur.engine.fixture.ReservationFixture.reservation;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.fixture.ReservationFixture;
import dev.spur.engine.job.Hold;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.reservation.ReservationRequest.Names;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobState;
import dev.spur.model.PartitionSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservationTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Heart cluster = Lab.set(Heart.with(4, node()));

    @Test
    void jobOfItsUserStartsOnItsNodesAndAnotherOneWaits() {
        cluster.reserve(reservation("demo").on("node[1-4]"));

        var inside = cluster.submit(job().reservation("demo").timeLimit(MINUTE));
        var outside = cluster.submit(job().timeLimit(MINUTE));
        cluster.schedule();

        assertThat(cluster.nodesOf(inside)).containsExactly("node1");
        assertThat(cluster.job(outside).isPending()).isTrue();
        assertThat(cluster.planOf(outside).expectedStart()).isEqualTo(START.plus(HOUR));
        assertThat(cluster.reason(outside))
                .isEqualTo("ReqNodeNotAvail, May be reserved for other job");
    }

    @Test
    void whoMayNotUseItIsRefused() {
        cluster.reserve(reservation("demo").on("node1"));

        assertThat(refusal(cluster.trySubmit(job().of(1003, "bob").reservation("demo"))))
                .isEqualTo(ErrorCode.RESERVATION_ACCESS);
        assertThat(refusal(cluster.trySubmit(job().reservation("other"))))
                .isEqualTo(ErrorCode.INVALID_RESERVATION);
    }

    @Test
    void accountsGroupsAndUsersThatAreKeptOutDecideWhoMayUseIt() {
        cluster.reserve(reservation("lab").anyUser().accounts("physics").on("node1"));
        cluster.reserve(
                reservation("most")
                        .accounts("physics", "chem")
                        .users(new Names(ReservationRequest.Way.SET, List.of("bob"), true))
                        .on("node2"));
        cluster.reserve(reservation("club").group("club", 77).on("node3"));

        assertThat(cluster.trySubmit(job().reservation("lab")))
                .isInstanceOf(Result.Submitted.class);
        assertThat(refusal(cluster.trySubmit(job().of(1003, "bob").reservation("lab"))))
                .isEqualTo(ErrorCode.RESERVATION_ACCESS);
        assertThat(cluster.trySubmit(job().reservation("most")))
                .isInstanceOf(Result.Submitted.class);
        assertThat(refusal(cluster.trySubmit(job().of(1003, "bob").reservation("most"))))
                .isEqualTo(ErrorCode.RESERVATION_ACCESS);
        assertThat(refusal(cluster.trySubmit(job().reservation("club"))))
                .isEqualTo(ErrorCode.RESERVATION_ACCESS);
    }

    @Test
    void whoIsTakenOffTheListDoesNotStartAnyMore() {
        cluster.reserve(reservation("demo").users("alice", "bob").on("node1"));
        var id = cluster.submit(job().of(1003, "bob").reservation("demo").timeLimit(MINUTE));

        cluster.change(
                change("demo")
                        .users(new Names(ReservationRequest.Way.REMOVE, List.of("bob"), false)));
        cluster.schedule();

        assertThat(cluster.job(id).isPending()).isTrue();
    }

    @Test
    void nobodyStartsWhatWouldNotHaveEndedWhenItBegins() {
        cluster.reserve(reservation("demo").starts(START.plus(HOUR)).on("node[1-4]"));

        var brief = cluster.submit(job().timeLimit(Duration.ofMinutes(59)));
        var tooLong = cluster.submit(job().timeLimit(Duration.ofMinutes(61)));
        cluster.schedule();

        assertThat(cluster.job(brief).phase()).isInstanceOf(JobPhase.Running.class);
        assertThat(cluster.job(tooLong).isPending()).isTrue();
        assertThat(cluster.planOf(tooLong).expectedStart()).isEqualTo(START.plus(HOUR).plus(HOUR));
    }

    @Test
    void jobThatMayBeShorterStartsWithWhatIsLeftBeforeIt() {
        cluster.reserve(reservation("demo").starts(START.plus(HOUR)).on("node[1-4]"));

        var id = cluster.run(job().timeLimit(Duration.ofHours(3)).atLeast(Duration.ofMinutes(30)));

        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Running.class);
        assertThat(cluster.job(id).terms().timeLimit().toString()).isEqualTo("01:00:00");
    }

    @Test
    void jobWaitsForTheBeginningOfItsReservation() {
        cluster.reserve(reservation("demo").starts(START.plus(HOUR)).on("node2"));
        var id = cluster.run(job().reservation("demo").timeLimit(MINUTE));
        assertThat(cluster.reason(id)).isEqualTo("Reservation");
        assertThat(cluster.planOf(id).expectedStart()).isEqualTo(START.plus(HOUR));

        cluster.advance(HOUR);
        cluster.schedule();

        assertThat(cluster.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void jobThatWouldNotEndWithItsReservationWaits() {
        cluster.reserve(reservation("demo").on("node2"));

        var id = cluster.run(job().reservation("demo").timeLimit(Duration.ofMinutes(61)));

        assertThat(cluster.job(id).isPending()).isTrue();
        assertThat(cluster.reason(id)).isEqualTo("Reservation");
    }

    @Test
    void jobWithoutALimitRunsAsLongAsItsReservationAndEndsWithIt() {
        cluster.reserve(reservation("demo").on("node2"));
        cluster.advance(MINUTE);

        var id = cluster.run(job().reservation("demo").anyTime());
        cluster.begin(id);
        assertThat(cluster.nodesOf(id)).containsExactly("node2");
        var next = cluster.submit(job().on("node2").exclusive().timeLimit(MINUTE));
        cluster.schedule();
        assertThat(cluster.planOf(next).expectedStart()).isEqualTo(START.plus(HOUR));

        cluster.advance(HOUR);

        cluster.clean(id);
        assertThat(cluster.job(id).state()).isEqualTo(JobState.TIMEOUT);
        assertThat(cluster.snapshot().reservations().isEmpty()).isTrue();
    }

    @Test
    void jobsThatStillWaitForItWhenItIsOverAreHeldAndRelease() {
        cluster.reserve(reservation("demo").on("node2"));
        var id = cluster.run(job().reservation("demo").timeLimit(Duration.ofHours(2)));

        cluster.advance(HOUR);
        assertThat(cluster.reason(id)).isEqualTo("ReservationDeleted");
        assertThat(cluster.job(id).spec().reservation()).isEmpty();

        cluster.release(id.toString(), ALICE);
        cluster.schedule();
        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Running.class);
    }

    @Test
    void noHoldJobsLetsThemRunElsewhereAfterwards() {
        cluster.reserve(
                reservation("demo").on("node2").with(ReservationFlag.NO_HOLD_JOBS_AFTER_END));
        var id = cluster.submit(job().reservation("demo").timeLimit(Duration.ofHours(2)));

        cluster.deleteReservation("demo");
        cluster.schedule();

        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Running.class);
    }

    @Test
    void itIsNotDeletedWhileAJobRunsInIt() {
        cluster.reserve(reservation("demo").on("node2"));
        cluster.run(job().reservation("demo").timeLimit(MINUTE));

        assertThat(refusal(cluster.deleteReservation("demo")))
                .isEqualTo(ErrorCode.RESERVATION_BUSY);
    }

    @Test
    void flexibleOneLetsItsJobsBeginBeforeItAndEndAfterIt() {
        cluster.reserve(
                reservation("demo")
                        .starts(START.plus(HOUR))
                        .on("node2")
                        .with(ReservationFlag.FLEX));

        var id = cluster.run(job().reservation("demo").on("node2").timeLimit(Duration.ofHours(9)));
        var other = cluster.run(job().reservation("demo").on("node3").timeLimit(MINUTE));

        assertThat(cluster.nodesOf(id)).containsExactly("node2");
        assertThat(cluster.nodesOf(other)).containsExactly("node3");
    }

    @Test
    void magneticOneDrawsInJobsThatDoNotNameIt() {
        cluster.reserve(reservation("demo").on("node3").with(ReservationFlag.MAGNETIC));

        var drawn = cluster.run(job().timeLimit(MINUTE));
        var others = cluster.run(job().of(1003, "bob").timeLimit(MINUTE));
        var tooLong = cluster.run(job().timeLimit(Duration.ofHours(2)));

        assertThat(cluster.nodesOf(drawn)).containsExactly("node3");
        assertThat(cluster.job(drawn).spec().reservation()).isEqualTo("demo");
        assertThat(cluster.nodesOf(others)).containsExactly("node1");
        assertThat(cluster.nodesOf(tooLong)).doesNotContain("node3");
    }

    @Test
    void ofSeveralReservationsAJobUsesTheOneThatStandsFirst() {
        cluster.reserve(reservation("late").starts(START.plus(HOUR)).on("node1"));
        cluster.reserve(reservation("soon").on("node2"));

        var id = cluster.run(job().reservation("late,soon").timeLimit(MINUTE));

        assertThat(cluster.nodesOf(id)).containsExactly("node2");
        assertThat(cluster.job(id).spec().reservation()).isEqualTo("soon");
    }

    @Test
    void nodesThatAreInUseOrReservedCannotBeReserved() {
        cluster.run(job().on("node1").anyTime());
        cluster.reserve(reservation("demo").on("node2"));

        assertThat(refusal(cluster.reserve(reservation("a").on("node1"))))
                .isEqualTo(ErrorCode.NODES_BUSY);
        assertThat(refusal(cluster.reserve(reservation("b").on("node[2-3]"))))
                .isEqualTo(ErrorCode.RESERVATION_OVERLAP);
        assertThat(
                        cluster.reserve(
                                reservation("c")
                                        .on("node[1-4]")
                                        .with(ReservationFlag.MAINT, ReservationFlag.IGNORE_JOBS)))
                .isInstanceOf(Result.ReservationCreated.class);
        assertThat(cluster.reserve(reservation("d").on("node2").starts(START.plus(HOUR))))
                .isInstanceOf(Result.ReservationCreated.class);
    }

    @Test
    void maintenanceIsNamedAsTheReason() {
        cluster.reserve(reservation("night").on("node[1-4]").with(ReservationFlag.MAINT));

        var id = cluster.run(job().timeLimit(MINUTE));

        assertThat(cluster.reason(id)).isEqualTo("ReqNodeNotAvail, Reserved for maintenance");
    }

    @Test
    void nodesAreChosenAmongThoseThatAreFreeAndReplacedWhenTheyFail() {
        cluster.run(job().on("node1").anyTime());

        var result = cluster.reserve(named().nodes(2).with(ReservationFlag.REPLACE_DOWN));
        assertThat(result).isEqualTo(new Result.ReservationCreated("alice_1"));
        assertThat(cluster.nodesOf("alice_1")).containsExactly("node2", "node3");

        cluster.change("node2", new NodeChange.Down("broken"));
        assertThat(cluster.nodesOf("alice_1")).containsExactly("node3", "node4");
    }

    @Test
    void staticOneKeepsNodesThatFail() {
        cluster.reserve(named().nodes(2).with(ReservationFlag.STATIC));

        cluster.change("node1", new NodeChange.Down("broken"));

        assertThat(cluster.nodesOf("alice_1")).containsExactly("node1", "node2");
    }

    @Test
    void replacingOneGetsIdleNodesForThoseInUse() {
        cluster.reserve(named().nodes(1).with(ReservationFlag.REPLACE));

        cluster.run(job().reservation("alice_1").timeLimit(MINUTE));

        assertThat(cluster.nodesOf("alice_1")).containsExactly("node2");
    }

    /// Other nodes are sought when a node comes, goes or fails, and a restart is none of these:
    /// else replicas that were restarted would have others than those that were not.
    @Test
    void aReplicaThatWasRestartedKeepsTheNodesThatTheOthersKeep() throws IOException {
        var later = START.plus(HOUR);
        cluster.reserve(named().starts(later).nodes(1));
        cluster.reserve(reservation("others").starts(later).on("node[2-4]"));
        cluster.change("node1", new NodeChange.Down("broken"));
        cluster.deleteReservation("others");
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.state().publish(), bytes::write);
        var restored = SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);

        cluster.advance(MINUTE);
        restored.apply(new Command.AdvanceTime(START.plus(MINUTE)));

        assertThat(restored.publish().reservations().list())
                .isEqualTo(cluster.state().publish().reservations().list());
    }

    @Test
    void dailyOneComesAgainAtTheSameTimeOfTheDayAlsoWhenClocksChange() {
        var evening = Instant.parse("2027-03-27T19:00:00Z"); // Berlin's clocks go ahead that night
        cluster.reserve(
                reservation("demo")
                        .starts(evening)
                        .zone("Europe/Berlin")
                        .on("node1")
                        .with(ReservationFlag.DAILY));

        cluster.advance(Duration.between(START, evening).plus(HOUR));

        assertThat(found("demo").start()).isEqualTo(Instant.parse("2027-03-28T18:00:00Z"));
        assertThat(found("demo").begun()).isFalse();
    }

    @Test
    void weekdaysAndWeekendsFollowTheCalendar() {
        var friday = Instant.parse("2026-11-20T08:00:00Z");
        cluster.reserve(
                reservation("work").starts(friday).on("node1").with(ReservationFlag.WEEKDAY));
        var sunday = Instant.parse("2026-11-22T08:00:00Z");
        cluster.reserve(
                reservation("rest").starts(sunday).on("node2").with(ReservationFlag.WEEKEND));

        assertThat(found("work").next().start()).isEqualTo(Instant.parse("2026-11-23T08:00:00Z"));
        assertThat(found("rest").next().start()).isEqualTo(Instant.parse("2026-11-28T08:00:00Z"));
    }

    @Test
    void jobOfARepeatedOneWaitsForTheNextTime() {
        cluster.reserve(reservation("demo").on("node1").with(ReservationFlag.DAILY));
        cluster.advance(HOUR.minus(MINUTE));

        var id = cluster.run(job().reservation("demo").timeLimit(Duration.ofMinutes(30)));
        assertThat(cluster.planOf(id).expectedStart()).isEqualTo(START.plus(Duration.ofDays(1)));
        cluster.advance(Duration.ofHours(23).plus(MINUTE));
        cluster.schedule();

        assertThat(cluster.nodesOf(id)).containsExactly("node1");
    }

    @Test
    void itGoesWhenNobodyHasWantedItForAWhile() {
        cluster.reserve(
                reservation("demo")
                        .on("node1")
                        .with(ReservationFlag.PURGE_COMP)
                        .purgedAfter(Duration.ofMinutes(5)));
        var id = cluster.run(job().reservation("demo").timeLimit(Duration.ofMinutes(20)));

        cluster.advance(Duration.ofMinutes(10));
        assertThat(cluster.snapshot().reservations().isEmpty()).isFalse();
        cluster.finish(id, 0);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.snapshot().reservations().isEmpty()).isTrue();
    }

    @Test
    void longerOrShorterReservationCountsForThoseWhoWait() {
        cluster.reserve(reservation("demo").on("node[1-4]"));
        var id = cluster.submit(job().timeLimit(MINUTE));

        cluster.change(change("demo").lasts(Duration.ofHours(3)));
        cluster.schedule();
        assertThat(cluster.planOf(id).expectedStart()).isEqualTo(START.plus(Duration.ofHours(3)));

        cluster.change(change("demo").on("node1"));
        cluster.schedule();
        assertThat(cluster.nodesOf(id)).containsExactly("node2");
    }

    @Test
    void reservationOfWholePartitionsGrowsWithThem() {
        cluster.reserve(reservation("all").on("ALL").with(ReservationFlag.MAINT));

        cluster.register("node9", node());

        assertThat(cluster.nodesOf("all")).contains("node9");
    }

    @Test
    void cheapHalfOfAPassKeepsReservationsToo() {
        cluster.reserve(reservation("demo").starts(START.plus(HOUR)).on("node[1-4]"));
        var tooLong = cluster.submit(job().timeLimit(Duration.ofHours(2)));

        var pass = new BackfillPass();

        assertThat(pass.startNow(cluster.snapshot(), cluster.now())).isEmpty();
        assertThat(cluster.job(tooLong).isPending()).isTrue();
    }

    private static ReservationFixture named() {
        return reservation("");
    }

    private Reservation found(String name) {
        return cluster.snapshot().reservations().find(name).orElseThrow();
    }

    @Test
    void jobThatNeverBeganIsNotTakenToHaveHadItsTime() {
        cluster.reserve(reservation("demo").on("node2"));
        var id = cluster.submit(job().reservation("demo").timeLimit(MINUTE));
        var asItIs = cluster.submit(job().reservation("demo").timeLimit(MINUTE));
        cluster.schedule();
        cluster.begin(asItIs);

        cluster.change(change("demo").ends(cluster.now().plusSeconds(10)));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(((JobPhase.Completing) cluster.job(id).phase()).outcome().state())
                .isEqualTo(JobState.NODE_FAIL);
        assertThat(((JobPhase.Completing) cluster.job(asItIs).phase()).outcome().state())
                .isEqualTo(JobState.TIMEOUT);
        cluster.clean(id);
        assertThat(cluster.job(id).queueing().hold()).isEqualTo(Hold.RESERVATION);
    }

    @Test
    void jobThatIsToRunAgainDoesNotWaitForAReservationThatIsGone() {
        cluster.reserve(reservation("demo").on("node2"));
        var id = cluster.submit(job().reservation("demo").timeLimit(MINUTE));
        cluster.schedule();
        cluster.requeue("" + id, ALICE);
        cluster.change(change("demo").ends(cluster.now().plusSeconds(10)));
        cluster.advance(Duration.ofSeconds(10));

        cluster.clean(id);
        assertThat(cluster.job(id).queueing().hold()).isEqualTo(Hold.RESERVATION);

        cluster.release("" + id, ALICE);
        cluster.schedule();
        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Running.class);
    }

    /// What cannot be applied would end every controller, now and at each start.
    @Test
    void timeThatIsFartherAwayThanAnyPlanIsRefused() {
        cluster.reserve(reservation("demo").on("node1"));

        for (var far : List.of(Instant.MAX, START.plus(Duration.ofDays(40_000)))) {
            assertThat(refusal(cluster.reserve(reservation("far").starts(far).on("node2"))))
                    .isEqualTo(ErrorCode.INVALID_TIME);
            assertThat(refusal(cluster.change(change("demo").ends(far))))
                    .isEqualTo(ErrorCode.INVALID_TIME);
        }
        assertThat(
                        refusal(
                                cluster.reserve(
                                        reservation("far")
                                                .lasts(Duration.ofSeconds(Long.MAX_VALUE))
                                                .on("node2"))))
                .isEqualTo(ErrorCode.INVALID_TIME);
        assertThat(refusal(cluster.reserve(reservation("far").starts(Instant.MIN).on("node2"))))
                .isEqualTo(ErrorCode.INVALID_TIME);
    }

    @Test
    void reservationOfAPartitionThatIsNotConfiguredAnyMoreTakesNoOtherNodes() {
        var config = cluster.snapshot().config();
        cluster.configure(
                new ClusterConfig(
                        config.clusterName(),
                        List.of(
                                PartitionSpec.of("debug", true, "ALL"),
                                PartitionSpec.of("small", false, "node[1-2]")),
                        config.nodes(),
                        config.rules()));
        cluster.reserve(
                reservation("whole").in("small").on("ALL").with(ReservationFlag.PART_NODES));
        cluster.reserve(
                reservation("one").starts(START.plus(HOUR).plus(HOUR)).in("small").nodes(1));
        var before = cluster.snapshot().reservations().list();

        cluster.configure(config);
        cluster.change("node1", new NodeChange.Drain("broken"));

        assertThat(cluster.snapshot().reservations().list())
                .extracting(Reservation::nodes)
                .isEqualTo(before.stream().map(Reservation::nodes).toList());
    }

    private static ErrorCode refusal(Result result) {
        return ((Result.Refused) result).code();
    }
}
