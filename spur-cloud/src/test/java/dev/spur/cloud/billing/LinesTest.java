package dev.spur.cloud.billing;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// M16: how time becomes money.
class LinesTest {
    private static final Instant START = Instant.parse("2027-03-01T10:00:00.250Z");
    private static final int DIGITS = 2;

    private static Price price(String resource, String perHour, Instant from) {
        return new Price(UUID.randomUUID(), resource, new BigDecimal(perHour), from);
    }

    private static PriceList prices(Price... prices) {
        return new PriceList(List.of(prices));
    }

    private static Attempt attempt(Instant start, @Nullable Instant end, long suspended, int gpus) {
        return new Attempt(
                7,
                0,
                start,
                end,
                Duration.ofSeconds(suspended),
                null,
                "mi300x",
                gpus,
                4,
                null,
                true);
    }

    private static BigDecimal amount(List<Line> lines, Instant now) {
        return lines.stream()
                .map(line -> line.amount(now, DIGITS))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    @Test
    void anAttemptCostsItsSecondsAsSacctShowsThem() {
        var list = prices(price("gpu:mi300x", "3.60", Instant.EPOCH));
        var end = START.plusMillis(100_900);

        var lines = Lines.of(attempt(START, end, 0, 8), list, end);

        assertThat(lines).hasSize(1);
        // from 10:00:00 to 10:01:41, as both are shown
        assertThat(lines.getFirst().seconds()).isEqualTo(101);
        assertThat(lines.getFirst().amount(end, DIGITS)).isEqualTo("0.81");
    }

    @Test
    void aChangeOfThePriceCutsTheLineAndNoSecondIsLostOrCountedTwice() {
        var list =
                prices(
                        price("gpu:mi300x", "3.60", Instant.EPOCH),
                        price("gpu:mi300x", "7.20", START.plusSeconds(60)));
        var end = START.plusSeconds(100);

        var lines = Lines.of(attempt(START, end, 0, 1), list, end);

        assertThat(lines).extracting(Line::seconds).containsExactly(60L, 40L);
        assertThat(lines).extracting(Line::piece).containsExactly(0, 1);
        assertThat(lines.get(0).endedAt()).isEqualTo(lines.get(1).startedAt());
        assertThat(amount(lines, end)).isEqualTo("0.14");
    }

    @Test
    void suspendedTimeIsNotPaidAndComesOffTheDearestPiece() {
        var list =
                prices(
                        price("gpu:mi300x", "3.60", Instant.EPOCH),
                        price("gpu:mi300x", "7.20", START.plusSeconds(60)));
        var end = START.plusSeconds(100);

        var lines = Lines.of(attempt(START, end, 50, 1), list, end);

        assertThat(lines).extracting(Line::seconds).containsExactly(50L, 0L);
    }

    @Test
    void whatTheClusterDidNotDeliverIsFreeButShown() {
        var list = prices(price("gpu", "3.60", Instant.EPOCH));
        var end = START.plusSeconds(3600);
        var failed =
                new Attempt(
                        7,
                        0,
                        START,
                        end,
                        Duration.ZERO,
                        null,
                        "mi300x",
                        8,
                        4,
                        "the node failed",
                        false);

        var line = Lines.of(failed, list, end).getFirst();

        assertThat(line.seconds()).isEqualTo(3600);
        assertThat(line.amount(end, DIGITS)).isEqualTo("0.00");
        assertThat(line.freeBecause()).isEqualTo("the node failed");
    }

    @Test
    void whatRunsGrowsByTheSecondButNotWhileItIsSuspended() {
        var list = prices(price("gpu", "36", Instant.EPOCH));
        var running =
                Lines.of(attempt(START, null, 10, 1), list, START.plusSeconds(100)).getFirst();

        assertThat(running.amount(START.plusSeconds(110), DIGITS)).isEqualTo("1.00");
        assertThat(running.amount(START.plusSeconds(210), DIGITS)).isEqualTo("2.00");

        var suspended =
                new Attempt(
                        7,
                        0,
                        START,
                        null,
                        Duration.ofSeconds(10),
                        START.plusSeconds(110),
                        "mi300x",
                        1,
                        4,
                        null,
                        false);
        var still = Lines.of(suspended, list, START.plusSeconds(500)).getFirst();
        assertThat(still.amount(START.plusSeconds(500), DIGITS)).isEqualTo("1.00");
    }

    @Test
    void clocksThatStepBackCostNothingLessThanNothing() {
        var list = prices(price("gpu", "36", Instant.EPOCH));

        var lines = Lines.of(attempt(START, START.minusSeconds(5), 0, 1), list, START);
        var live = Lines.of(attempt(START, null, 0, 1), list, START.minusSeconds(9));

        assertThat(amount(lines, START)).isEqualByComparingTo("0");
        assertThat(amount(live, START.minusSeconds(9))).isEqualByComparingTo("0");
    }

    @Test
    void everySecondOfEveryAttemptIsInOneLineAndDaysAddUpToTheBill() {
        var random = new Random(20270301);
        for (var round = 0; round < 3_000; round++) {
            var list = new ArrayList<Price>();
            for (var i = random.nextInt(6); i >= 0; i--) {
                var resource = List.of("cpu", "gpu", "gpu:mi300x").get(random.nextInt(3));
                var from =
                        i == 0
                                ? Instant.EPOCH
                                : START.plusMillis(random.nextLong(-200_000, 400_000));
                list.add(
                        price(
                                resource,
                                "%d.%06d".formatted(random.nextInt(30), random.nextInt(1_000_000)),
                                from));
            }
            var wall = random.nextLong(0, 400_000);
            var suspended = random.nextLong(0, wall / 1000 + 1);
            var end = START.plusMillis(wall);
            var attempt = attempt(START, end, suspended, random.nextInt(9));

            var lines = Lines.of(attempt, new PriceList(list), end);

            var elapsed = end.getEpochSecond() - START.getEpochSecond() - suspended; // as sacct
            assertThat(lines.stream().mapToLong(Line::seconds).sum()).isEqualTo(elapsed);
            assertThat(lines).allMatch(line -> line.seconds() >= 0);
            assertRoundedOnce(lines, end);
            assertPartsAddUp(lines, random, end);
            var live =
                    Lines.of(
                            attempt(START, null, suspended, attempt.gpus()),
                            new PriceList(list),
                            end);
            assertThat(live.stream().mapToLong(line -> line.seconds(end)).sum()).isEqualTo(elapsed);
            assertThat(amount(live, end)).isEqualByComparingTo(amount(lines, end));
        }
    }

    private static void assertRoundedOnce(List<Line> lines, Instant now) {
        for (var line : lines) {
            var exact =
                    line.rate()
                            .perHour(line.gpus(), line.cpus())
                            .multiply(BigDecimal.valueOf(line.seconds()));
            var rounded = line.amount(now, DIGITS).multiply(BigDecimal.valueOf(3600));
            assertThat(rounded.subtract(exact).abs()).isLessThanOrEqualTo(new BigDecimal("18"));
        }
    }

    /// Cut anywhere, the parts are together the line.
    private static void assertPartsAddUp(List<Line> lines, Random random, Instant now) {
        var cut = START.plusMillis(random.nextLong(-10_000, 410_000));
        var far = now.plusSeconds(1_000_000);
        for (var line : lines) {
            var before = line.between(Instant.EPOCH, cut, now, DIGITS);
            var after = line.between(cut, far, now, DIGITS);
            assertThat(before.amount().add(after.amount())).isEqualTo(line.amount(now, DIGITS));
            assertThat(before.seconds() + after.seconds()).isEqualTo(line.seconds());
        }
    }
}
