package dev.spur.cloud.sessions;

import static dev.spur.cloud.access.Needs.SESSIONS;
import static dev.spur.cloud.access.Needs.USER;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.SessionsSection;
import dev.spur.cloud.projects.Projects;
import dev.spur.cloud.sessions.SessionAccess.Wish;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `/api/sessions`, `/api/gpus`, `/api/templates`.
public final class SessionRoutes {
    private static final String TAG = "sessions";
    private static final String KEY = "Idempotency-Key";
    private static final int LONGEST_KEY = 200;
    private static final long MOST_OUTPUT = 1 << 20;
    private static final Set<String> WORDS =
            Arrays.stream(SessionState.values())
                    .map(SessionState::word)
                    .collect(Collectors.toUnmodifiableSet());

    private final SessionStore store;
    private final SessionAccess access;
    private final Launches launches;
    private final Planning planning;
    private final Capacity capacity;
    private final Backend backend;
    private final Projects projects;
    private final SessionView.Beside beside;
    private final AuditLog audit;
    private final SessionsSection config;
    private final InstantSource clock;

    SessionRoutes(
            SessionStore store,
            SessionAccess access,
            Launches launches,
            Planning planning,
            Capacity capacity,
            Backend backend,
            Projects projects,
            SessionView.Beside beside,
            AuditLog audit,
            SessionsSection config,
            InstantSource clock) {
        this.store = store;
        this.access = access;
        this.launches = launches;
        this.planning = planning;
        this.capacity = capacity;
        this.backend = backend;
        this.projects = projects;
        this.beside = beside;
        this.audit = audit;
        this.config = config;
        this.clock = clock;
    }

    /// @param name missing: as it is
    public record SessionEdit(@Nullable String name) {}

    /// @param minutes by how much longer it may last
    public record Extension(@Nullable Integer minutes) {}

    /// @param kind as in `session.running`
    public record EventView(long id, Instant at, String kind, String text) {}

    /// @param cpus in use on average since the line before; null: not known
    public record UsageLine(Instant at, @Nullable Double cpus, long memoryBytes) {}

    /// @param gpus null: nobody measures them here
    public record UsageView(
            UUID sessionId,
            int cpuLimit,
            @Nullable Long memoryLimitMb,
            List<UsageLine> lines,
            @Nullable Object gpus,
            String gpuNote) {}

    /// @param available whether a session can be launched from it here
    /// @param because why not; null: it can
    public record TemplateView(
            String name,
            String title,
            String description,
            String image,
            boolean available,
            @Nullable String because) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>post("/api/sessions", "launchSession")
                        .tag(TAG)
                        .says(
                                "Launch a session. With the header Idempotency-Key a repetition is the same launch")
                        .needs(USER, SESSIONS)
                        .takes(NewSession.class)
                        .answers(201, SessionView.class)
                        .refuses(403, 409)
                        .by(this::launch),
                Endpoint.<Caller>get("/api/sessions", "listSessions")
                        .tag(TAG)
                        .says(
                                "Sessions of mine and of my projects, the newest first. The header X-Next-Cursor is there if there are more")
                        .needs(USER, SESSIONS)
                        .query("state", String.class, "only these states, by commas")
                        .query("gpu_type", String.class, "only with these GPUs")
                        .query("project", String.class, "only of this project")
                        .query("q", String.class, "a part of the name")
                        .query("mine", boolean.class, "not those of others in my projects")
                        .query("all", boolean.class, "everybody's: administrators only")
                        .query("sort", String.class, "-created_at (the usual) or created_at")
                        .query(
                                "cursor",
                                UUID.class,
                                "the next page: X-Next-Cursor of the one before")
                        .query("limit", int.class, "at most so many, 1 to 1000; 50 if not said")
                        .answers(200, Lists.of(SessionView.class))
                        .by(this::list),
                Endpoint.<Caller>get("/api/sessions/{id}", "getSession")
                        .tag(TAG)
                        .says("A session; with If-None-Match only if it has changed")
                        .needs(USER, SESSIONS)
                        .answers(200, SessionView.class)
                        .by(this::get),
                Endpoint.<Caller>patch("/api/sessions/{id}", "changeSession")
                        .tag(TAG)
                        .says(
                                "Rename a session; with If-Match only if it has not changed meanwhile")
                        .needs(USER, SESSIONS)
                        .takes(SessionEdit.class)
                        .answers(200, SessionView.class)
                        .refuses(412)
                        .by(this::change),
                Endpoint.<Caller>delete("/api/sessions/{id}", "endSession")
                        .tag(TAG)
                        .says(
                                "End a session; one that is over stays as it is. With delete=true one that is over leaves the list")
                        .needs(USER, SESSIONS)
                        .query("delete", boolean.class, "take it out of the list")
                        .answers(204, Void.class)
                        .refuses(409, 412)
                        .by(this::end),
                Endpoint.<Caller>post("/api/sessions/{id}/stop", "stopSession")
                        .tag(TAG)
                        .says("End a session")
                        .needs(USER, SESSIONS)
                        .answers(202, SessionView.class)
                        .by(call -> Answer.accepted(view(stopped(call)))),
                Endpoint.<Caller>post("/api/sessions/{id}/extend", "extendSession")
                        .tag(TAG)
                        .says("Let a session last longer")
                        .needs(USER, SESSIONS)
                        .takes(Extension.class)
                        .answers(200, SessionView.class)
                        .refuses(409)
                        .by(this::extend),
                Endpoint.<Caller>post("/api/sessions/{id}/restart", "restartSession")
                        .tag(TAG)
                        .says(
                                "Run a session anew from its beginning; one that is over is launched once more, as a new one")
                        .needs(USER, SESSIONS)
                        .answers(201, SessionView.class)
                        .answers(202, SessionView.class)
                        .refuses(403, 409)
                        .by(this::restart),
                Endpoint.<Caller>get("/api/sessions/{id}/events", "listSessionEvents")
                        .tag(TAG)
                        .says("What happened to a session, the oldest first")
                        .needs(USER, SESSIONS)
                        .query("after", long.class, "only behind this id")
                        .query("limit", int.class, "at most so many, 1 to 1000")
                        .answers(200, Lists.of(EventView.class))
                        .by(this::events),
                Endpoint.<Caller>get("/api/sessions/{id}/logs", "getSessionLogs")
                        .tag(TAG)
                        .says("What a session printed, as text; with follow as it comes")
                        .needs(USER, SESSIONS)
                        .query("follow", boolean.class, "go on until the session ends")
                        .query("tail", int.class, "only so many of the last lines")
                        .query("offset", long.class, "from this byte on")
                        .query("bytes", long.class, "at most so many; 1 MiB if not said")
                        .answers(200, String.class)
                        .refuses(409)
                        .by(this::logs),
                Endpoint.<Caller>get("/api/sessions/{id}/usage", "getSessionUsage")
                        .tag(TAG)
                        .says("CPU and memory that a session used over time")
                        .needs(USER, SESSIONS)
                        .query("since", Instant.class, "from then on; 24 hours ago if not said")
                        .answers(200, UsageView.class)
                        .by(this::usage),
                Endpoint.<Caller>get("/api/gpus", "listGpus")
                        .tag(TAG)
                        .says("GPUs by type, and the nodes that have them")
                        .needs(USER, SESSIONS)
                        .answers(200, Lists.of(Capacity.Pool.class))
                        .by(_ -> Answer.ok(capacity.pools())),
                Endpoint.<Caller>get("/api/templates", "listTemplates")
                        .tag(TAG)
                        .says("Environments to choose from")
                        .needs(USER, SESSIONS)
                        .answers(200, Lists.of(TemplateView.class))
                        .by(_ -> Answer.ok(templates())));
    }

    private Answer launch(Call<Caller> call) {
        var wish = call.body(NewSession.class);
        var caller = call.caller().person();
        var session = planning.plan(wish, caller, clock.instant());
        return launched(call, new SessionStore.Intent(session, key(call), wish.hash()));
    }

    private Answer launched(Call<Caller> call, SessionStore.Intent intent) {
        return switch (launches.launch(intent)) {
            case SessionStore.New(var made) -> {
                audit.add(
                        call,
                        "session.launch",
                        made.id().toString(),
                        "%d × %s".formatted(made.gpuCount(), made.gpuType()));
                if (made.state() == SessionState.FAILED) {
                    throw Problem.of(
                            409,
                            "refused-by-cluster",
                            "The cluster does not take the session: %s."
                                    .formatted(made.errorMessage()),
                            "Ask for what it allows; the session %s is in your list as failed."
                                    .formatted(made.id()));
                }
                yield created(made);
            }
            case SessionStore.Repeated(var before) -> created(before);
            case SessionStore.KeyTaken() ->
                    throw Problem.of(
                            422,
                            "idempotency-key-reused",
                            "This Idempotency-Key came with another request before.",
                            "Use a new key for each launch.");
            case SessionStore.OverQuota(var what, var used, var most, var asked) ->
                    throw Problem.of(
                            403,
                            "quota-exceeded",
                            "You use %d of at most %d %s and ask for %d more."
                                    .formatted(used, most, what, asked),
                            "End what you do not need, ask for less, or ask an administrator for more.");
        };
    }

    private Answer created(Session session) {
        return withTag(Answer.created("/api/sessions/" + session.id(), view(session)), session);
    }

    private static @Nullable String key(Call<Caller> call) {
        var key = call.request().header(KEY).orElse(null);
        if (key != null && (key.isBlank() || key.length() > LONGEST_KEY)) {
            throw Problem.field(KEY, "must have 1 to %d characters".formatted(LONGEST_KEY));
        }
        return key;
    }

    private SessionView view(Session session) {
        return SessionView.of(session, beside);
    }

    private static Answer withTag(Answer answer, Session session) {
        return answer.with("ETag", tag(session));
    }

    private static String tag(Session session) {
        return "\"%d\"".formatted(session.revision());
    }

    private Answer list(Call<Caller> call) {
        var caller = call.caller().person();
        var limit = call.number("limit", 1, 1000, 50);
        var found = store.list(wanted(call, caller, limit + 1));
        var page = found.subList(0, Math.min(limit, found.size()));
        var answer = Answer.ok(page.stream().map(this::view).toList());
        if (found.size() <= limit) {
            return answer;
        }
        return answer.with("X-Next-Cursor", page.getLast().id().toString());
    }

    private SessionStore.Wanted wanted(Call<Caller> call, Caller.Person caller, int most) {
        var states =
                call.query("state")
                        .map(text -> List.of(text.toLowerCase(Locale.ROOT).split(",", -1)))
                        .orElse(List.of());
        var sort = call.query("sort").orElse("-created_at");
        var all = flag(call, "all");
        new Fields()
                .require(
                        WORDS.containsAll(states),
                        "state",
                        "must be some of " + String.join(", ", WORDS.stream().sorted().toList()))
                .require(
                        sort.equals("created_at") || sort.equals("-created_at"),
                        "sort",
                        "must be created_at or -created_at")
                .require(!all || caller.isAdmin(), "all", "is for administrators")
                .check();
        var project =
                call.query("project")
                        .map(name ->
                                projects.byName(name)
                                        .map(Projects.Project::id)
                                        .orElseThrow(() -> Problem.notFound("project")))
                        .orElse(null);
        return new SessionStore.Wanted(
                all ? null : caller.id(),
                flag(call, "mine"),
                states,
                call.query("gpu_type").orElse(null),
                project,
                call.query("q").orElse(null),
                sort.equals("created_at"),
                call.query("cursor").map(SessionRoutes::cursor).orElse(null),
                most);
    }

    private static UUID cursor(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.field("cursor", "is none of ours").causedBy(e);
        }
    }

    private static boolean flag(Call<Caller> call, String name) {
        return switch (call.query(name).orElse("false")) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw Problem.field(name, "must be true or false");
        };
    }

    private Session session(Call<Caller> call, Wish wish) {
        var id = call.id("id", "session");
        var caller = call.caller().person();
        var found = access.find(caller, id, wish);
        if (found.isEmpty() && access.find(caller, id, Wish.SEE).isPresent()) {
            throw Problem.of(
                    403,
                    "not-your-session",
                    "You may see this session, but not do that with it.",
                    "Ask its owner, or an owner of its project.");
        }
        return found.orElseThrow(() -> Problem.notFound("session"));
    }

    private Answer get(Call<Caller> call) {
        var session = session(call, Wish.SEE);
        var known = call.request().header("If-None-Match").orElse("");
        if (known.equals(tag(session))) {
            return withTag(new Answer(304, java.util.Map.of(), null), session);
        }
        return withTag(Answer.ok(view(session)), session);
    }

    private static void requireUnchanged(Call<Caller> call, Session session) {
        var known = call.request().header("If-Match").orElse("*");
        if (!known.equals("*") && !known.equals(tag(session))) {
            throw Problem.of(
                    412,
                    "changed-meanwhile",
                    "The session has changed since you looked at it.",
                    "Look at it again and decide anew.");
        }
    }

    private Answer change(Call<Caller> call) {
        var session = session(call, Wish.CHANGE);
        var wish = call.body(SessionEdit.class);
        var name = wish.name();
        if (name == null) {
            return withTag(Answer.ok(view(session)), session);
        }
        new Fields().line("name", name).check();
        var after =
                store.note(
                                session.id(),
                                clock.instant(),
                                now -> {
                                    requireUnchanged(call, now);
                                    if (now.name().equals(name.strip())) {
                                        return null;
                                    }
                                    var draft = new SessionDraft(now);
                                    draft.name = name.strip();
                                    return draft.as(
                                            SessionChange.RENAMED,
                                            "The session is called %s now."
                                                    .formatted(name.strip()));
                                })
                        .orElseThrow(() -> Problem.notFound("session"));
        return withTag(Answer.ok(view(after)), after);
    }

    private Answer end(Call<Caller> call) {
        var session = session(call, Wish.END);
        requireUnchanged(call, session);
        if (!flag(call, "delete")) {
            stop(call, session);
            return Answer.nothing();
        }
        if (!session.state().isOver()) {
            throw Problem.of(
                    409,
                    "session-not-over",
                    "The session is %s; only sessions that are over can be deleted."
                            .formatted(session.state().word()),
                    "End it first.");
        }
        store.note(
                session.id(),
                clock.instant(),
                now -> {
                    var draft = new SessionDraft(now);
                    draft.deletedAt = clock.instant();
                    draft.secrets = null;
                    return draft.as(SessionChange.DELETED, "The session was deleted.");
                });
        audit.add(call, "session.delete", session.id().toString(), session.name());
        return Answer.nothing();
    }

    private Session stopped(Call<Caller> call) {
        return stop(call, session(call, Wish.END));
    }

    private Session stop(Call<Caller> call, Session session) {
        if (session.state().isOver()) {
            return session;
        }
        var caller = call.caller().person();
        var because =
                caller.id().equals(session.person())
                        ? "ended by its owner"
                        : "ended by " + caller.username();
        var after = launches.stop(session.id(), because).orElse(session);
        audit.add(call, "session.stop", session.id().toString(), session.name());
        return after;
    }

    private Answer extend(Call<Caller> call) {
        var session = session(call, Wish.CHANGE);
        var minutes = call.body(Extension.class).minutes();
        if (minutes == null || minutes < 1) {
            throw Problem.field("minutes", "must be a positive number");
        }
        requireLive(session, "extended");
        var wanted = (long) session.timeLimitMin() + minutes;
        if (wanted > config.longest().toMinutes()) {
            throw Problem.of(
                    409,
                    "too-long",
                    "The session would last %d minutes in all; %d is the most here."
                            .formatted(wanted, config.longest().toMinutes()),
                    "Save your work and launch another one.");
        }
        var job = session.job();
        if (job == null) {
            throw Problem.of(
                    409,
                    "not-in-the-cluster-yet",
                    "The cluster does not have the session yet.",
                    "Try again in a moment.");
        }
        done(
                backend.limit(
                        session.account(),
                        job,
                        (int) wanted,
                        "extend-%s-%d".formatted(session.id(), wanted)));
        var after =
                store.change(
                                session.id(),
                                clock.instant(),
                                now -> {
                                    var draft = new SessionDraft(now);
                                    draft.timeLimitMin = (int) wanted;
                                    var end = now.endsAt();
                                    draft.endsAt =
                                            end == null || now.timeLimitMin() == wanted
                                                    ? end
                                                    : end.plus(
                                                            Duration.ofMinutes(
                                                                    wanted - now.timeLimitMin()));
                                    return draft.as(
                                            SessionChange.EXTENDED,
                                            "The session may last %d minutes in all."
                                                    .formatted(wanted));
                                })
                        .orElse(session);
        audit.add(call, "session.extend", session.id().toString(), wanted + " minutes");
        return withTag(Answer.ok(view(after)), after);
    }

    private static void requireLive(Session session, String what) {
        if (session.state().isOver() || session.stopRequestedAt() != null) {
            throw Problem.of(
                    409,
                    "session-over",
                    "The session is %s and cannot be %s.".formatted(session.state().word(), what),
                    "Launch another one.");
        }
    }

    private static void done(Backend.Changed changed) {
        if (changed instanceof Backend.NotDone(var because)) {
            throw Problem.of(
                    409,
                    "refused-by-cluster",
                    "The cluster does not do that: %s.".formatted(because),
                    "Ask the cluster's administrator.");
        }
    }

    private Answer restart(Call<Caller> call) {
        var session = session(call, Wish.CHANGE);
        if (session.state().isOver()) {
            var key = key(call);
            var intent =
                    new SessionStore.Intent(
                            planning.again(session, clock.instant()),
                            key,
                            Secrets.hash("restart " + session.id()));
            return launched(call, intent);
        }
        requireLive(session, "restarted");
        var job = session.job();
        if (job == null || session.state() == SessionState.PENDING) {
            return Answer.accepted(view(session)); // it has not begun yet
        }
        done(
                backend.requeue(
                        session.account(),
                        job,
                        "restart-%s-%d".formatted(session.id(), session.attempt())));
        audit.add(call, "session.restart", session.id().toString(), session.name());
        return Answer.accepted(view(store.find(session.id()).orElse(session)));
    }

    private Answer events(Call<Caller> call) {
        var session = session(call, Wish.SEE);
        var after = number(call, "after", Long.MAX_VALUE, 0);
        return Answer.ok(
                store.events(session.id(), after, call.number("limit", 1, 1000, 200)).stream()
                        .map(e -> new EventView(e.id(), e.at(), e.kind(), e.text()))
                        .toList());
    }

    private static long number(Call<Caller> call, String name, long most, long otherwise) {
        var text = call.query(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            var number = Long.parseLong(text.get());
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw Problem.field(name, "must be a number that is not negative");
    }

    private Answer logs(Call<Caller> call) {
        var session = session(call, Wish.ENTER);
        var follow = flag(call, "follow");
        var bytes = number(call, "bytes", MOST_OUTPUT, follow ? 0 : MOST_OUTPUT);
        var wish =
                new Backend.OutputWish(
                        false,
                        number(call, "offset", Long.MAX_VALUE, 0),
                        bytes,
                        call.number("tail", 0, 100_000, 0),
                        follow);
        var job = session.job();
        if (job == null) {
            return Answer.text("");
        }
        return Answer.streamed(
                "text/plain; charset=utf-8",
                out -> {
                    try {
                        backend.output(session.account(), job, wish, out);
                    } catch (BackendAwayException e) {
                        out.write(
                                ("\n[the output cannot be read now: %s]\n"
                                                .formatted(e.getMessage()))
                                        .getBytes(StandardCharsets.UTF_8));
                    }
                });
    }

    private Answer usage(Call<Caller> call) {
        var session = session(call, Wish.SEE);
        var since = call.instant("since").orElse(clock.instant().minus(Duration.ofHours(24)));
        var lines =
                store.usage(session.id(), since).stream()
                        .map(m -> new UsageLine(m.at(), m.cpus(), m.memoryBytes()))
                        .toList();
        return Answer.ok(
                new UsageView(
                        session.id(),
                        session.cpus(),
                        session.memoryMb() == 0 ? null : session.memoryMb(),
                        lines,
                        null,
                        session.gpuCount() == 0
                                ? "the session has no GPU"
                                : "no data: nothing measures these GPUs"));
    }

    private List<TemplateView> templates() {
        return config.templates().stream()
                .map(template -> {
                    var because = Planning.unavailable(template, backend).orElse(null);
                    return new TemplateView(
                            template.name(),
                            template.title().isEmpty() ? template.name() : template.title(),
                            template.description(),
                            template.image(),
                            because == null,
                            because);
                })
                .toList();
    }
}
