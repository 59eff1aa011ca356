package dev.spur.engine.state;

import dev.spur.engine.table.PagedTable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Answers already given, by request id, so that a retry acts once. Bounded by age and number.
final class RememberedRequests {
    static final Duration KEPT_FOR = Duration.ofDays(1);
    private static final int MOST = 200_000;

    final PagedTable<RememberedRequest> table = new PagedTable<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private int oldest;
    private int next;

    @Nullable Result answerTo(String requestId) {
        var number = numbers.get(requestId);
        var known = number == null ? null : table.get(number);
        return known == null ? null : known.result();
    }

    void remember(String requestId, Instant at, Result result) {
        add(new RememberedRequest(next, requestId, at, result));
        if (table.size() > MOST) {
            forgetOldest();
        }
    }

    void forgetBefore(Instant time) {
        for (var known = oldest(); known != null && known.at().isBefore(time); known = oldest()) {
            forgetOldest();
        }
    }

    /// Also used when a state is loaded, oldest first.
    void add(RememberedRequest request) {
        if (table.size() == 0) {
            oldest = request.number();
        }
        table.put(request.number(), request);
        numbers.put(request.requestId(), request.number());
        next = request.number() + 1;
    }

    void countFrom(int number) {
        next = number;
    }

    int next() {
        return next;
    }

    private @Nullable RememberedRequest oldest() {
        return table.size() == 0 ? null : table.get(oldest);
    }

    private void forgetOldest() {
        var known = oldest();
        if (known != null) {
            table.remove(known.number());
            numbers.remove(known.requestId());
            oldest++;
        }
    }
}
