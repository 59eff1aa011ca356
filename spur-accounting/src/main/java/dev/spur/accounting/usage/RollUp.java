package dev.spur.accounting.usage;

import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.job.HoursToRoll;
import dev.spur.accounting.job.Months;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/// Sums up usage as time passes: each hour from the jobs in it, each day of UTC from its hours,
/// each month from its days. What is learned of an hour after it was summed up is marked ({@link
/// HoursToRoll}), and the hour, its day and its month are summed up anew.
public final class RollUp {
    /// Summed up in one transaction, for which records wait.
    private static final int HOURS_AT_ONCE = 6;

    private final Jdbi jdbi;
    private final InstantSource clock;

    public RollUp(Jdbi jdbi, InstantSource clock) {
        this.jdbi = jdbi;
        this.clock = clock;
    }

    /// Does all that is to be done.
    public void run() {
        for (var cluster : jdbi.withHandle(handle -> new ClusterRepository(handle).all())) {
            while (jdbi.inTransaction(handle -> step(handle, cluster.name()))) {
                // Each time some hours more.
            }
        }
        jdbi.useTransaction(handle -> Months.settle(handle, now()));
    }

    private OffsetDateTime now() {
        return Times.at(clock.instant());
    }

    /// @return whether something was done
    private boolean step(Handle handle, String name) {
        handle.execute("set local statement_timeout = '10min'");
        var clusters = new ClusterRepository(handle);
        var cluster = clusters.hold(name);
        var usage = new UsageRepository(handle, cluster.id());
        var target = Times.hour(now());
        var rolled = cluster.rolledUntil();
        if (rolled == null) {
            var begin = usage.begin();
            if (begin.isEmpty() || !Times.hour(begin.get()).isBefore(target)) {
                return false;
            }
            rolled = Times.hour(begin.get());
        }
        if (rolled.isBefore(target)) {
            var until = Times.earlier(target, rolled.plusHours(HOURS_AT_ONCE));
            clusters.rolled(cluster.id(), until);
            roll(handle, cluster.id(), new Window(rolled, until), until);
            return true;
        }
        return again(handle, cluster.id(), rolled);
    }

    /// The next hours of which something was learned.
    private static boolean again(Handle handle, int cluster, OffsetDateTime rolled) {
        var hours = new HoursToRoll(handle).of(cluster);
        if (hours.isEmpty()) {
            return false;
        }
        var from = hours.first();
        var until = from;
        while (hours.contains(until) && Duration.between(from, until).toHours() < HOURS_AT_ONCE) {
            until = until.plusHours(1);
        }
        roll(handle, cluster, new Window(from, until), rolled);
        return true;
    }

    private static void roll(Handle handle, int cluster, Window window, OffsetDateTime rolled) {
        var raw = new RawUsage(handle, cluster);
        var usage = new UsageRepository(handle, cluster);
        var parts = raw.parts(window);
        usage.replaceHours(window, parts, raw.cluster(window, parts));
        new HoursToRoll(handle).done(cluster, window.from(), window.until());
        for (var span : new Span[] {Span.DAY, Span.MONTH}) {
            var begins = new TreeSet<OffsetDateTime>();
            for (var hour = window.from();
                    hour.isBefore(window.until());
                    hour = hour.plusHours(1)) {
                begins.add(span.begin(hour));
            }
            for (var begin : begins) {
                if (!span.next(begin).isAfter(rolled)) {
                    usage.sumUp(span, new Window(begin, span.next(begin)));
                }
            }
        }
    }
}
