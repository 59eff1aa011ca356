package dev.spur.engine.account;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Limited amounts by the numbers of the [registry][dev.spur.engine.tres.TresRegistry]. What is not
/// there is not limited; 0 allows nothing.
public record TresAmounts(Map<Integer, Long> byNumber) {
    public static final TresAmounts NONE = new TresAmounts(Map.of());

    public TresAmounts {
        byNumber = Collections.unmodifiableSortedMap(new TreeMap<>(byNumber));
    }

    public boolean isEmpty() {
        return byNumber.isEmpty();
    }

    /// With these set, and those cleared whose amount is negative.
    TresAmounts with(Map<Integer, Long> changes) {
        SortedMap<Integer, Long> all = new TreeMap<>(byNumber);
        changes.forEach((number, amount) -> {
            if (amount < 0) {
                all.remove(number);
            } else {
                all.put(number, amount);
            }
        });
        return new TresAmounts(all);
    }

    /// `1=4,1001=2`, as Slurm stores it.
    @Override
    public String toString() {
        var text = new StringBuilder();
        byNumber.forEach((number, amount) ->
                text.append(text.isEmpty() ? "" : ",").append(number).append('=').append(amount));
        return text.toString();
    }
}
