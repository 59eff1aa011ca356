package dev.spur.rest.caller;

import dev.spur.rest.http.Refusal;
import java.util.HashMap;
import java.util.Map;

/// Counts what each caller has under way, and says no in time. Strangers share one small budget, so
/// that they keep nobody else waiting.
public final class Budgets {
    private static final String STRANGERS = "";

    private final Limits limits;
    private final Map<String, Use> uses = new HashMap<>();
    private int requests;
    private int streams;
    private long bytes;

    /// @param bytes of bodies that are held at a time, of all
    public record Limits(
            int requests,
            int requestsPerCaller,
            int requestsOfStrangers,
            int streams,
            int streamsPerCaller,
            long bytes,
            long bytesPerCaller) {
        public static final Limits DEFAULTS =
                new Limits(128, 32, 16, 1024, 256, 64L << 20, 24L << 20);
    }

    private static final class Use {
        int requests;
        int streams;
        long bytes;
    }

    public Budgets(Limits limits) {
        this.limits = limits;
    }

    /// A place for one more request.
    public synchronized Place enter(Caller caller) {
        var name = name(caller);
        var most =
                name.equals(STRANGERS) ? limits.requestsOfStrangers() : limits.requestsPerCaller();
        var use = uses.computeIfAbsent(name, _ -> new Use());
        if (requests >= limits.requests() || use.requests >= most) {
            forget(name, use);
            throw Refusal.busy("%d requests are under way already".formatted(most), 1);
        }
        requests++;
        use.requests++;
        return new Place(name, use);
    }

    private static String name(Caller caller) {
        return switch (caller) {
            case Caller.Known known -> "user:" + known.user();
            case Caller.Stranger _ -> STRANGERS;
        };
    }

    private void forget(String name, Use use) {
        if (use.requests == 0 && use.streams == 0) {
            uses.remove(name);
        }
    }

    /// Held while a request is under way.
    public final class Place implements AutoCloseable {
        private final String name;
        private final Use use;
        private boolean isStream;
        private boolean isClosed;
        private long held;

        private Place(String name, Use use) {
            this.name = name;
            this.use = use;
        }

        /// Room for a body.
        public void hold(long size) {
            synchronized (Budgets.this) {
                if (bytes + size > limits.bytes() || use.bytes + size > limits.bytesPerCaller()) {
                    throw Refusal.busy("the bodies under way take too much memory", 2);
                }
                bytes += size;
                use.bytes += size;
                held += size;
            }
        }

        /// From now on it is an answer without end, of which there may be more.
        public void becomeStream() {
            synchronized (Budgets.this) {
                if (streams >= limits.streams() || use.streams >= limits.streamsPerCaller()) {
                    throw Refusal.busy(
                            "%d streams are open already".formatted(limits.streamsPerCaller()), 5);
                }
                streams++;
                use.streams++;
                requests--;
                use.requests--;
                isStream = true;
            }
        }

        @Override
        public void close() {
            synchronized (Budgets.this) {
                if (isClosed) {
                    return;
                }
                isClosed = true;
                bytes -= held;
                use.bytes -= held;
                if (isStream) {
                    streams--;
                    use.streams--;
                } else {
                    requests--;
                    use.requests--;
                }
                forget(name, use);
            }
        }
    }
}
