package dev.spur.accounting.amount;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/// Amounts of resources as two columns: numbers of the registry, and how much of each.
public record TresAmounts(Integer[] tres, Long[] amounts) {
    /// No host has more of anything. Whoever claims to would make sums overflow.
    private static final long MOST = 1L << 40;

    public static TresAmounts of(Map<Integer, Long> amounts) {
        var sorted = new TreeMap<>(amounts);
        sorted.replaceAll((_, amount) -> amount < 0 || amount > MOST ? Long.valueOf(MOST) : amount);
        return new TresAmounts(
                sorted.keySet().toArray(Integer[]::new), sorted.values().toArray(Long[]::new));
    }

    /// From the columns `tres` and `amounts`.
    public static TresAmounts of(ResultSet rows) throws SQLException {
        return new TresAmounts(
                (Integer[]) rows.getArray("tres").getArray(),
                (Long[]) rows.getArray("amounts").getArray());
    }

    public Map<Integer, Long> map() {
        var map = new TreeMap<Integer, Long>();
        for (var i = 0; i < tres.length; i++) {
            map.put(tres[i], amounts[i]);
        }
        return map;
    }
}
