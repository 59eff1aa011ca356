package dev.spur.controller.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.access.Traffic.Begun;
import dev.spur.controller.access.Traffic.Cause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private static final long MIB = 1 << 20;
    private static final Payer EVE = payer("eve");
    private static final Payer ALICE = payer("alice");

    private Instant now = Instant.EPOCH;
    private final Traffic traffic = new Traffic(200, 200, () -> now);
    private final List<Cause> dropped = new ArrayList<>();

    @Test
    void whatNeverBecomesCompleteCostsNobodyAnything() {
        IntStream.range(0, 10_000).forEach(_ -> arrive(EVE));

        assertThat(begin(arrive(EVE))).isEqualTo(Begun.YES);
        assertThat(begin(arrive(ALICE))).isEqualTo(Begun.YES);
    }

    @Test
    void ofTooManyThatArriveTheOldestIsDroppedAndTheNewestServed() {
        var oldest = arrive(EVE);
        var others = IntStream.range(0, 10).mapToObj(_ -> arrive(EVE)).toList();

        assertThat(dropped).containsExactly(Cause.CROWDED);
        assertThat(begin(oldest)).isEqualTo(Begun.DROPPED);
        assertThat(begin(others.getLast())).isEqualTo(Begun.YES);
    }

    @Test
    void anAnswerThatIsNotReadIsDroppedAfterAWhile() {
        var asked = arrive(EVE);
        begin(asked);
        traffic.answer(asked, 1);
        now = now.plusSeconds(59);
        traffic.sweep();
        assertThat(dropped).isEmpty();

        now = now.plusSeconds(2);
        traffic.sweep();
        traffic.sweep();

        assertThat(dropped).containsExactly(Cause.UNREAD);
    }

    @Test
    void anAnswerThatWasReadIsForgotten() {
        var asked = arrive(EVE);
        begin(asked);
        traffic.answer(asked, 1);
        traffic.end(asked);
        now = now.plusSeconds(100);

        traffic.sweep();

        assertThat(dropped).isEmpty();
        assertThat(traffic.accounts()).isZero();
    }

    @Test
    void largeAnswersAreOnTheAccountOfWhoeverAsked() {
        var first = arrive(EVE);
        var second = arrive(EVE);
        begin(first);
        begin(second);
        assertThat(traffic.answer(first, 3 * MIB / 2)).isTrue();

        assertThat(traffic.answer(second, 3 * MIB / 2)).isFalse();

        traffic.end(first);
        assertThat(traffic.answer(second, 3 * MIB / 2)).isTrue();
    }

    @Test
    void aRequestThatDoesNotArriveIsDroppedAfterAWhile() {
        var slow = arrive(EVE);
        now = now.plusSeconds(5);
        var younger = arrive(EVE);
        now = now.plusSeconds(6);

        traffic.sweep();

        assertThat(dropped).containsExactly(Cause.SLOW);
        assertThat(begin(slow)).isEqualTo(Begun.DROPPED);
        assertThat(begin(younger)).isEqualTo(Begun.YES);
    }

    @Test
    void aCallThatCannotBeDroppedDoesNotSpareTheOthers() {
        traffic.arrive(
                EVE,
                _ -> {
                    throw new IllegalStateException("it is closed already");
                });
        arrive(EVE);
        now = now.plusSeconds(11);
        traffic.sweep();
        assertThat(dropped).containsExactly(Cause.SLOW);

        arrive(EVE);
        now = now.plusSeconds(11);
        traffic.sweep();

        assertThat(dropped).containsExactly(Cause.SLOW, Cause.SLOW);
    }

    @Test
    void aCallThatCannotBeDroppedDoesNotHarmTheOneThatComes() {
        traffic.arrive(
                EVE,
                _ -> {
                    throw new IllegalStateException("it is closed already");
                });
        IntStream.range(0, 9).forEach(_ -> arrive(EVE));

        assertThat(begin(arrive(EVE))).isEqualTo(Begun.YES);
    }

    @Test
    void largePiecesOfIncompleteRequestsAreBoundedForEachCaller() {
        var alices = arrive(ALICE);
        traffic.received(alices, MIB);
        for (var i = 0; i < 9; i++) {
            traffic.received(arrive(EVE), MIB);
        }

        assertThat(dropped).containsExactly(Cause.CROWDED);
        assertThat(begin(alices)).isEqualTo(Begun.YES);
    }

    @Test
    void theLargestOfTheLargestCallerGoesWhenAllTogetherAreTooMuch() {
        var many = new Payer("x", new Payer.Allowance(1_000, 1_000 * MIB, 10, 10));
        var small = arrive(ALICE);
        traffic.received(small, MIB);
        for (var i = 0; i < 256; i++) {
            traffic.received(arrive(many), MIB);
        }

        assertThat(dropped).hasSize(1);
        assertThat(begin(small)).isEqualTo(Begun.YES);
    }

    @Test
    void aUsersOwnFloodMeetsHisOwnBound() {
        IntStream.range(0, 40).forEach(_ -> begin(arrive(EVE)));

        assertThat(begin(arrive(EVE))).isEqualTo(Begun.ACCOUNT_FULL);
        assertThat(begin(arrive(ALICE))).isEqualTo(Begun.YES);
    }

    @Test
    void aLargeRequestCountsForMany() {
        assertThat(traffic.begin(arrive(EVE), 2 * MIB, false)).isEqualTo(Begun.YES);

        assertThat(traffic.begin(arrive(EVE), MIB, false)).isEqualTo(Begun.ACCOUNT_FULL);
        assertThat(begin(arrive(EVE))).isEqualTo(Begun.YES);
    }

    @Test
    void whenManyTogetherFillTheControllerThereIsRoomForWhoHasLittle() {
        for (var user : List.of("a", "b", "c", "d", "e")) {
            IntStream.range(0, 40).forEach(_ -> begin(arrive(payer(user))));
        }

        assertThat(begin(arrive(payer("a")))).isNotEqualTo(Begun.YES);
        assertThat(begin(arrive(ALICE))).isEqualTo(Begun.YES);
    }

    @Test
    void whatHasEndedMakesRoomOnce() {
        var calls = IntStream.range(0, 40).mapToObj(_ -> arrive(EVE)).toList();
        assertThat(calls).isNotEmpty();
        var one = arrive(ALICE);
        begin(one);
        traffic.end(one);
        traffic.end(one);
        IntStream.range(0, 40).forEach(_ -> begin(arrive(ALICE)));

        assertThat(begin(arrive(ALICE))).isEqualTo(Begun.ACCOUNT_FULL);
    }

    @Test
    void callersWithNothingUnderWayAreForgotten() {
        for (var i = 0; i < 1_000; i++) {
            var call = arrive(payer("user " + i));
            begin(call);
            traffic.end(call);
        }
        var cancelled = arrive(EVE);
        traffic.end(cancelled);

        assertThat(traffic.accounts()).isZero();
    }

    @Test
    void streamsAndShortRequestsDoNotCompete() {
        IntStream.range(0, 40).forEach(_ -> traffic.begin(arrive(EVE), 0, true));

        assertThat(traffic.begin(arrive(EVE), 0, true)).isEqualTo(Begun.ACCOUNT_FULL);
        assertThat(begin(arrive(EVE))).isEqualTo(Begun.YES);
    }

    private Traffic.Call arrive(Payer payer) {
        return traffic.arrive(payer, dropped::add);
    }

    private Begun begin(Traffic.Call call) {
        return traffic.begin(call, 100, false);
    }

    private static Payer payer(String name) {
        return new Payer(name, new Payer.Allowance(10, 8 * MIB, 40, 40));
    }
}
