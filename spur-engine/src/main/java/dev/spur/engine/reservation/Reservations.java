package dev.spur.engine.reservation;

import dev.spur.model.IndexSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All reservations, in the order in which they were made.
///
/// @param made how many ever were
public record Reservations(List<Reservation> list, int made) {
    public static final Reservations NONE = new Reservations(List.of(), 0);

    /// How far ahead anybody looks. A job without a limit is taken to run so long.
    public static final Duration HORIZON = Duration.ofDays(365);

    /// Of a repeated one, so many times are looked at: longer jobs collide with one of them anyhow.
    public static final int MOST_PERIODS = 400;

    public Reservations {
        list = List.copyOf(list);
    }

    public boolean isEmpty() {
        return list.isEmpty();
    }

    public Optional<Reservation> find(String name) {
        return list.stream().filter(one -> one.name().equals(name)).findFirst();
    }

    public Reservations with(Reservation changed) {
        var others = new ArrayList<Reservation>(list.size() + 1);
        var known = false;
        for (var one : list) {
            others.add(one.number() == changed.number() ? changed : one);
            known |= one.number() == changed.number();
        }
        if (!known) {
            others.add(changed);
        }
        return new Reservations(others, Math.max(made, changed.number()));
    }

    public Reservations without(Reservation gone) {
        return new Reservations(
                list.stream().filter(one -> one.number() != gone.number()).toList(), made);
    }

    /// The names that a job gives, which may be several.
    public static List<String> named(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(","));
    }

    /// The reservation that keeps a job from these nodes in that time; missing if none does.
    ///
    /// @param own the job's; missing: it has none
    public @Nullable Reservation closing(IndexSet nodes, Period period, @Nullable Reservation own) {
        for (var one : list) {
            if (one.nodes().intersects(nodes)
                    && (own == null || !one.yieldsTo(own))
                    && collides(one, period)) {
                return one;
            }
        }
        return null;
    }

    private static boolean collides(Reservation one, Period period) {
        return one.periods(period.end(), MOST_PERIODS).stream().anyMatch(period::overlaps);
    }

    /// When something happens to one of them next by time alone; missing if nothing does.
    public @Nullable Instant nextAlarm() {
        Instant next = null;
        for (var one : list) {
            var at = alarm(one);
            next = next == null || at.isBefore(next) ? at : next;
        }
        return next;
    }

    private static Instant alarm(Reservation one) {
        if (!one.begun()) {
            return one.start();
        }
        var idle = one.idleSince();
        var purge =
                idle == null || !one.has(ReservationFlag.PURGE_COMP)
                        ? one.end()
                        : idle.plus(one.purgeAfter());
        return purge.isBefore(one.end()) ? purge : one.end();
    }
}
