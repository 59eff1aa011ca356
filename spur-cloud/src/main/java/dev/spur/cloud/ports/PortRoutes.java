package dev.spur.cloud.ports;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Needs;
import dev.spur.cloud.auth.OneTimeCodes;
import dev.spur.cloud.reach.SessionDoor;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The platform's side of sessions' ports: links that work once.
public final class PortRoutes {
    private static final String PATH = "/api/sessions/{id}/ports/{port}";
    private static final Duration LINK_LIFE = Duration.ofSeconds(30);
    private static final int LONGEST_PATH = 2000;
    static final String ENTRANCE = "/.spur/enter";

    private final SessionDoor door;
    private final OneTimeCodes codes;
    private final PortSite site;

    public PortRoutes(SessionDoor door, OneTimeCodes codes, PortSite site) {
        this.door = door;
        this.codes = codes;
        this.site = site;
    }

    /// @param url good once, for half a minute
    public record PortLink(String url) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get(PATH, "openSessionPort")
                        .tag("sessions")
                        .says("Leads a browser to what listens at a port of a session")
                        .needs(Needs.USER, Needs.SESSIONS)
                        .query("to", String.class, "the path there")
                        .answers(303, Void.class)
                        .refuses(409)
                        .by(call -> Answer.redirect(link(call))),
                Endpoint.<Caller>post(PATH, "linkSessionPort")
                        .tag("sessions")
                        .says("A link to what listens at a port of a session")
                        .needs(Needs.USER, Needs.SESSIONS)
                        .query("to", String.class, "the path there")
                        .answers(201, PortLink.class)
                        .refuses(409)
                        .by(call ->
                                new Answer(
                                        201,
                                        Map.of(),
                                        new Answer.Value(new PortLink(link(call))))));
    }

    private String link(Call<Caller> call) {
        var caller = call.caller().person();
        if (!caller.scopes().contains("sessions")) {
            throw Problem.of(
                    403,
                    "scope-needed",
                    "This API token was not made for that: it lacks the scope sessions.",
                    "Make one with it in your settings.");
        }
        var session = call.id("id", "session");
        var place = new PortSite.Place(session, port(call.path("port")));
        switch (door.open(caller.id(), session)) {
            case SessionDoor.Absent() -> throw Problem.notFound("session");
            case SessionDoor.Closed(var why, _) ->
                    throw Problem.of(
                            409,
                            "session-not-running",
                            "Its ports cannot be reached: %s.".formatted(why),
                            "Start it, or wait until it runs.");
            case SessionDoor.Open _ -> {}
        }
        var to = call.query("to").filter(PortRoutes::isPath).orElse("/");
        var holder = caller.login() == null ? "token " + caller.token() : "login " + caller.login();
        var code =
                codes.create(
                        OneTimeCodes.Kind.PORT, caller.id(), session + " " + holder, LINK_LIFE);
        return "%s%s?code=%s&to=%s"
                .formatted(
                        site.url(place),
                        ENTRANCE,
                        code,
                        URLEncoder.encode(to, StandardCharsets.UTF_8));
    }

    private static int port(String text) {
        try {
            var port = Integer.parseInt(text);
            if (port >= 1 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw Problem.field("port", "must be a number between 1 and 65535");
    }

    /// A path of the same site and nothing else.
    static boolean isPath(String text) {
        return text.length() <= LONGEST_PATH
                && text.startsWith("/")
                && !text.startsWith("//")
                && !text.startsWith("/\\")
                && text.chars().allMatch(c -> c > ' ' && c < 127);
    }
}
