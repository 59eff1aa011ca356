package dev.spur.cloud.sessions;

import static dev.spur.cloud.access.Needs.SESSIONS;
import static dev.spur.cloud.access.Needs.USER;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.projects.Projects;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Json;
import dev.spur.runtime.http.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// `/api/events`: what happens to one's sessions, as it happens. Each event has an id behind which
/// a reader that was cut off goes on (`Last-Event-ID`); one that does not keep up is cut off.
final class EventStream {
    private static final Duration LOOK_UP = Duration.ofSeconds(3);
    private static final int MOST_WAITING = 1_000;
    private static final int MOST_READERS = 2_000;
    private static final int MOST_OF_ONE_PERSON = 50;
    private static final int AT_ONCE = 500;

    private final SessionStore store;
    private final SessionEvents events;
    private final Projects projects;
    private final Predicate<Caller.Person> isStillThere;
    private final AtomicInteger readers = new AtomicInteger();
    private final Map<UUID, Integer> readersOf = new ConcurrentHashMap<>();

    EventStream(
            SessionStore store,
            SessionEvents events,
            Projects projects,
            Predicate<Caller.Person> isStillThere) {
        this.store = store;
        this.events = events;
        this.projects = projects;
        this.isStillThere = isStillThere;
    }

    /// The data of an event.
    public record Told(
            long id, String kind, UUID sessionId, Instant at, String text, long revision) {}

    Endpoint<Caller> endpoint() {
        return Endpoint.<Caller>get("/api/events", "streamEvents")
                .tag("sessions")
                .says(
                        "What happens to my sessions, as server-sent events; Last-Event-ID, or after, goes on behind an event")
                .needs(USER, SESSIONS)
                .query("after", long.class, "go on behind this event")
                .query("all", boolean.class, "everybody's: administrators only")
                .answers(200, Told.class)
                .by(this::stream);
    }

    private Answer stream(Call<Caller> call) {
        var caller = call.caller().person();
        var all = call.query("all").filter("true"::equals).isPresent();
        if (all && !caller.isAdmin()) {
            throw Problem.field("all", "is for administrators");
        }
        if (readersOf.getOrDefault(caller.id(), 0) >= MOST_OF_ONE_PERSON) {
            throw Problem.of(
                            429,
                            "busy",
                            "You follow your sessions %d times already."
                                    .formatted(MOST_OF_ONE_PERSON),
                            "Close some of the windows or programs that do.")
                    .with("Retry-After", "10");
        }
        var after =
                call.request()
                        .header("Last-Event-ID")
                        .or(() -> call.query("after"))
                        .map(EventStream::id)
                        .orElse(null);
        return Answer.streamed("text/event-stream", out -> new Reading(caller, all, out).run(after))
                .with("Cache-Control", "no-store")
                .with("X-Accel-Buffering", "no");
    }

    private static Long id(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw Problem.field("after", "must be the id of an event").causedBy(e);
        }
    }

    private final class Reading {
        private final Caller.Person caller;
        private final boolean all;
        private final OutputStream out;
        private final BlockingQueue<SessionChange> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
        private final AtomicBoolean tooSlow = new AtomicBoolean();
        private long told;

        Reading(Caller.Person caller, boolean all, OutputStream out) {
            this.caller = caller;
            this.all = all;
            this.out = out;
        }

        void run(@Nullable Long after) throws IOException, InterruptedException {
            if (readers.incrementAndGet() > MOST_READERS) {
                readers.decrementAndGet();
                return;
            }
            readersOf.merge(caller.id(), 1, Integer::sum);
            try (var _ = subscription()) {
                told = after == null ? store.lastEvent() : after;
                write("retry: 2000\n: events of sessions follow\n\n");
                catchUp();
                while (!tooSlow.get() && isStillThere.test(caller)) {
                    var next = waiting.poll(LOOK_UP.toMillis(), TimeUnit.MILLISECONDS);
                    if (next == null) {
                        write(": still here\n\n");
                    } else {
                        tell(next);
                    }
                }
            } finally {
                readers.decrementAndGet();
                readersOf.computeIfPresent(
                        caller.id(), (_, count) -> count == 1 ? null : count - 1);
            }
        }

        private Subscription subscription() {
            var subscribed =
                    events.subscribe(change -> {
                        if (!waiting.offer(change)) {
                            tooSlow.set(true);
                        }
                    });
            return () -> {
                try {
                    subscribed.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            };
        }

        private void catchUp() throws IOException {
            var missed = store.eventsAfter(told, AT_ONCE);
            while (!missed.isEmpty()) {
                for (var change : missed) {
                    tell(change);
                }
                missed = store.eventsAfter(told, AT_ONCE);
            }
        }

        private void tell(SessionChange change) throws IOException {
            if (change.id() <= told) {
                return;
            }
            told = change.id();
            if (concerns(change)) {
                var data =
                        new Told(
                                change.id(),
                                change.kind(),
                                change.session(),
                                change.at(),
                                change.text(),
                                change.revision());
                write(
                        "id: %d\nevent: session\ndata: %s\n\n"
                                .formatted(
                                        change.id(),
                                        new String(Json.bytes(data), StandardCharsets.UTF_8)));
            }
        }

        private boolean concerns(SessionChange change) {
            var project = change.project();
            return all
                    || change.person().equals(caller.id())
                    || project != null && projects.roleOf(project, caller.id()).isPresent();
        }

        private void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
