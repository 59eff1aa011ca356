package dev.spur.engine.account;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The limits that are set in one place. What is missing is not limited there.
public record Limits(Map<CountLimit, Integer> counts, Map<TresLimit, TresAmounts> tres) {
    public static final Limits NONE = new Limits(Map.of(), Map.of());

    public Limits {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        tres = Collections.unmodifiableSortedMap(new TreeMap<>(tres));
    }

    public @Nullable Integer count(CountLimit limit) {
        return counts.get(limit);
    }

    public TresAmounts amounts(TresLimit limit) {
        return tres.getOrDefault(limit, TresAmounts.NONE);
    }

    public boolean isEmpty() {
        return counts.isEmpty() && tres.isEmpty();
    }

    public Limits with(CountLimit limit, @Nullable Integer value) {
        var all = new TreeMap<>(counts);
        if (value == null) {
            all.remove(limit);
        } else {
            all.put(limit, value);
        }
        return new Limits(all, tres);
    }

    /// @param changes negative amounts clear
    public Limits with(TresLimit limit, Map<Integer, Long> changes) {
        var all = new TreeMap<>(tres);
        var amounts = amounts(limit).with(changes);
        if (amounts.isEmpty()) {
            all.remove(limit);
        } else {
            all.put(limit, amounts);
        }
        return new Limits(counts, all);
    }

    /// Whether any of them holds for all below together.
    boolean hasGroup() {
        return counts.keySet().stream().anyMatch(limit -> !limit.isInherited())
                || tres.keySet().stream().anyMatch(limit -> !limit.isInherited());
    }

    /// These, and the inherited ones of above where there is none here.
    Limits below(Limits above) {
        if (above.isEmpty()) {
            return this;
        }
        var allCounts = new TreeMap<>(counts);
        above.counts.forEach((limit, value) -> {
            if (limit.isInherited()) {
                allCounts.putIfAbsent(limit, value);
            }
        });
        var allTres = new TreeMap<>(tres);
        above.tres.forEach((limit, amounts) -> {
            if (limit.isInherited()) {
                // Each kind of resource is looked for by itself.
                allTres.merge(limit, amounts, (own, _) -> amounts.with(own.byNumber()));
            }
        });
        return new Limits(allCounts, allTres);
    }
}
