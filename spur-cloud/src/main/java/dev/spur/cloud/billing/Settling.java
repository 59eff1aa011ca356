package dev.spur.cloud.billing;

import dev.spur.api.client.ControllerException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the lines of all sessions up to what accounting says, until it has said its last word
/// about each. Whatever was missed is found the next time, whatever is done twice is the same: any
/// number of these may run.
public final class Settling implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Settling.class);
    private static final int MOST = 10_000;
    private static final int ASKED_AT_ONCE = 200;

    private final UsageRecords records;
    private final Prices prices;
    private final Truth truth;
    private final InstantSource clock;
    private final Runnable afterwards;
    private final Thread loop;
    private volatile boolean isQuiet;

    private Settling(
            UsageRecords records,
            Prices prices,
            Truth truth,
            InstantSource clock,
            Runnable afterwards,
            Duration every) {
        this.records = records;
        this.prices = prices;
        this.truth = truth;
        this.clock = clock;
        this.afterwards = afterwards;
        this.loop = Thread.ofVirtual().name("settling").unstarted(() -> run(every));
    }

    /// @param afterwards done after each round, such as looking at budgets
    public static Settling start(
            UsageRecords records,
            Prices prices,
            Truth truth,
            InstantSource clock,
            Runnable afterwards,
            Duration every) {
        var settling = new Settling(records, prices, truth, clock, afterwards, every);
        settling.loop.start();
        return settling;
    }

    private void run(Duration every) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                round();
                Thread.sleep(every);
            } catch (InterruptedException _) {
                return; // closed
            }
        }
    }

    /// A round that fails is told of once, not every some seconds.
    private void round() {
        try {
            settle(records, prices, truth, clock);
            afterwards.run();
            isQuiet = false;
        } catch (RuntimeException e) {
            LOG.atLevel(isQuiet ? org.slf4j.event.Level.DEBUG : org.slf4j.event.Level.WARN)
                    .setCause(e)
                    .log("bills are not up to date");
            isQuiet = true;
        }
    }

    /// One round.
    static void settle(UsageRecords records, Prices prices, Truth truth, InstantSource clock) {
        RuntimeException failed = null;
        for (var ofOneAccount : byAccount(records.unsettled(MOST)).values()) {
            for (var from = 0; from < ofOneAccount.size(); from += ASKED_AT_ONCE) {
                var some =
                        ofOneAccount.subList(
                                from, Math.min(from + ASKED_AT_ONCE, ofOneAccount.size()));
                try {
                    settle(some, records, prices, truth, clock);
                } catch (ControllerException e) {
                    failed = e; // that of others may still be known
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private static Map<String, List<UsageRecords.Unsettled>> byAccount(
            List<UsageRecords.Unsettled> sessions) {
        return sessions.stream()
                .collect(Collectors.groupingBy(each -> each.uid() + " " + each.unixName()));
    }

    private static void settle(
            List<UsageRecords.Unsettled> sessions,
            UsageRecords records,
            Prices prices,
            Truth truth,
            InstantSource clock) {
        var known = truth.about(sessions);
        var list = prices.list();
        var now = clock.instant();
        for (var session : sessions) {
            var attempts = known.attempts().getOrDefault(session.job(), List.of());
            var lines =
                    attempts.stream()
                            .flatMap(attempt -> Lines.of(attempt, list, now).stream())
                            .toList();
            records.write(session, lines, isLastWord(session, attempts, known.isWhole()), now);
        }
    }

    /// A job that accounting has not heard of yet may still come.
    private static boolean isLastWord(
            UsageRecords.Unsettled session, List<Attempt> attempts, boolean isWhole) {
        return isWhole
                && session.isOver()
                && !attempts.isEmpty()
                && attempts.getLast().isLast()
                && attempts.stream().allMatch(attempt -> attempt.endedAt() != null);
    }

    @Override
    public void close() {
        loop.interrupt();
    }
}
