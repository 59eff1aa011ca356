package dev.spur.engine.state;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Answers already given, by request id, so that a retry acts once. Bounded by age and number.
final class RememberedRequests {
    static final Duration KEPT_FOR = Duration.ofDays(1);
    static final int MOST = 200_000;

    record Remembered(String requestId, Instant at, Result result) {}

    private final Map<String, Remembered> byId = new LinkedHashMap<>();

    @Nullable Result answerTo(String requestId) {
        var known = byId.get(requestId);
        return known == null ? null : known.result;
    }

    void remember(String requestId, Instant at, Result result) {
        byId.put(requestId, new Remembered(requestId, at, result));
        if (byId.size() > MOST) {
            byId.remove(byId.keySet().iterator().next());
        }
    }

    void forgetBefore(Instant time) {
        var oldest = byId.values().iterator();
        while (oldest.hasNext() && oldest.next().at.isBefore(time)) {
            oldest.remove();
        }
    }

    Iterable<Remembered> oldestFirst() {
        return byId.values();
    }

    int size() {
        return byId.size();
    }
}
