package dev.spur.accounting.access;

import dev.spur.api.v1.CallStats;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// How often what was asked, by whom, and how long the answers took.
public final class CallCounts {
    /// Users beyond are counted together.
    private static final int MOST_USERS = 1_000;

    private record Sum(long count, long micros) {
        Sum plus(long more) {
            return new Sum(count + 1, micros + more);
        }
    }

    private final Map<String, Sum> calls = new ConcurrentHashMap<>();
    private final Map<String, Sum> users = new ConcurrentHashMap<>();

    void count(String call, String user, long micros) {
        add(calls, call, micros);
        add(users, users.size() < MOST_USERS || users.containsKey(user) ? user : "others", micros);
    }

    private static void add(Map<String, Sum> sums, String key, long micros) {
        sums.compute(key, (_, sum) -> (sum == null ? new Sum(0, 0) : sum).plus(micros));
    }

    public List<CallStats> all() {
        var stats = new java.util.ArrayList<CallStats>();
        calls.forEach((call, sum) -> stats.add(of(sum).setName(call).build()));
        users.forEach((user, sum) -> stats.add(of(sum).setUser(user).build()));
        stats.sort(Comparator.comparingLong(CallStats::getCount).reversed());
        return stats;
    }

    private static CallStats.Builder of(Sum sum) {
        return CallStats.newBuilder().setCount(sum.count()).setTotalMicros(sum.micros());
    }
}
