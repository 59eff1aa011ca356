package dev.spur.engine.account;

import dev.spur.model.AccountingRules;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/// What was used, as it was at one moment. It fades with time, which is computed when somebody
/// asks: nothing is written for it while nothing runs.
public interface UsageBook {
    /// Until when the usage of running jobs is in it.
    Instant countedAt();

    PastUsage ofAssociation(int id);

    PastUsage ofQos(int id);

    /// By what usage has to be multiplied to be that of now.
    static double fading(Instant countedAt, Instant now, AccountingRules rules) {
        if (!now.isAfter(countedAt)) {
            return 1;
        }
        if (isReset(countedAt, now, rules.usageReset())) {
            return 0;
        }
        var halfLife = rules.halfLife();
        if (halfLife.isZero()) {
            return 1;
        }
        // The same on every machine: StrictMath, and a span in whole milliseconds.
        var span = (double) Duration.between(countedAt, now).toMillis();
        return StrictMath.pow(0.5, span / halfLife.toMillis());
    }

    private static boolean isReset(Instant before, Instant now, AccountingRules.UsageReset when) {
        var was = LocalDate.ofInstant(before, ZoneOffset.UTC);
        var is = LocalDate.ofInstant(now, ZoneOffset.UTC);
        return switch (when) {
            case NONE -> false;
            case DAILY -> !was.equals(is);
            case WEEKLY -> !sunday(was).equals(sunday(is));
            case MONTHLY -> month(was) != month(is);
            case QUARTERLY -> month(was) / 3 != month(is) / 3;
            case YEARLY -> was.getYear() != is.getYear();
        };
    }

    private static int month(LocalDate day) {
        return day.getYear() * 12 + day.getMonthValue() - 1;
    }

    private static LocalDate sunday(LocalDate day) {
        return day.minus(day.getDayOfWeek().getValue() % 7, ChronoUnit.DAYS);
    }
}
