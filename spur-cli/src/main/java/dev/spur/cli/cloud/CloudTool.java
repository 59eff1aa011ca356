package dev.spur.cli.cloud;

import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// `spur cloud VERB`
public final class CloudTool implements Tool {
    private static final Option<String> URL =
            Option.text("url", "URL")
                    .from("SPUR_CLOUD_URL")
                    .help("where the cloud is (default: where you signed in)");
    private static final Option<Boolean> JSON =
            Option.flag("json").help("the answer of the API as it is");
    private static final Option<Boolean> TOKEN =
            Option.flag("token").help("login: read an API token instead of a password");
    private static final Option<String> EMAIL =
            Option.text("email", "ADDRESS").help("login: who you are");
    private static final Option<String> NAME =
            Option.text("name", "NAME").letter('n').help("launch: what it is called");
    private static final Option<String> GPU =
            Option.text("gpu", "TYPE[:COUNT]").letter('g').help("launch: GPUs, as in mi300x:1");
    private static final Option<Integer> CPUS =
            Option.of("cpus", "N", CloudTool::count).letter('c').help("launch: CPUs");
    private static final Option<Integer> MEMORY =
            Option.of("memory", "MB", CloudTool::count).help("launch: memory");
    private static final Option<String> IMAGE =
            Option.text("image", "IMAGE").help("launch: the container image");
    private static final Option<String> TEMPLATE =
            Option.text("template", "NAME").help("launch: an environment by name");
    private static final Option<Integer> TIME =
            Option.of("time", "MINUTES", CloudTool::count)
                    .letter('t')
                    .help("launch: how long it lasts at most; extend: how much longer");
    private static final Option<String> PROJECT =
            Option.text("project", "NAME").help("launch, list: of this project");
    private static final Option<String> PARTITION =
            Option.text("partition", "NAME").letter('p').help("launch: where it runs");
    private static final Option<Boolean> NO_SSH = Option.flag("no-ssh").help("launch: without SSH");
    private static final Option<Boolean> ALL =
            Option.flag("all").letter('a').help("list: also those that are over");
    private static final Option<Boolean> FOLLOW =
            Option.flag("follow").letter('f').help("logs: go on until it ends");
    private static final Option<Integer> TAIL =
            Option.of("tail", "LINES", CloudTool::count).help("logs: only the last lines");
    private static final Option<String> SINCE =
            Option.text("since", "TIME").help("usage: from then on, as in 2027-03-01T00:00:00Z");
    private static final Option<String> UNTIL =
            Option.text("until", "TIME").help("usage: until then");

    private static final OptionTable TABLE =
            OptionTable.of(
                            """
                            VERB [OPTIONS...]

                              login              sign in without a browser; the token is kept in ~/.config/spur
                              logout             forget the token
                              link CODE          say on this host that you are who made CODE in the cloud
                              admin-link         a new link for the first administrator (root, on the cloud's host)
                              launch             a session
                              list               your sessions
                              show SESSION       one of them, by its id, the beginning of that, or its name
                              ssh SESSION [CMD]  a shell, or a command, in it
                              logs SESSION       what it printed
                              stop SESSION       end it
                              extend SESSION     let it last longer (--time)
                              usage              what you used and what it costs

                            Exits with 1 if it was refused, 3 if you are not signed in, 4 if there is no such session,
                            5 if the cloud does not answer; ssh with the exit code of ssh.
                            """
                                    .strip())
                    .options(
                            URL, JSON, TOKEN, EMAIL, NAME, GPU, CPUS, MEMORY, IMAGE, TEMPLATE, TIME,
                            PROJECT, PARTITION, NO_SSH, ALL, FOLLOW, TAIL, SINCE, UNTIL)
                    .helpLetter();

    private final Connector connector;
    private final Keyring keyring;
    private final Trust trust;

    /// Who is believed to be the cloud, beside those whom Java believes.
    @FunctionalInterface
    public interface Trust {
        @Nullable SSLContext of(Invocation in);
    }

    public CloudTool(Connector connector, Keyring keyring, Trust trust) {
        this.connector = connector;
        this.keyring = keyring;
        this.trust = trust;
    }

    private static int count(String text) {
        if (!text.matches("[0-9]{1,8}")) {
            throw new IllegalArgumentException("is not a number: " + text);
        }
        return Integer.parseInt(text);
    }

    @Override
    public int run(Invocation in) throws Exception {
        var words = in.args();
        if (!words.isEmpty() && words.getFirst().equals("ssh")) {
            // what follows the session is a command of its own
            return TABLE.operandsEndOptions()
                    .run(in, words.subList(1, words.size()), asked -> ssh(in, asked));
        }
        return TABLE.run(in, arguments -> run(in, arguments));
    }

    private int run(Invocation in, Arguments asked) {
        var words = asked.operands();
        var verb = words.isEmpty() ? "" : words.getFirst();
        var rest = words.isEmpty() ? words : words.subList(1, words.size());
        try {
            return switch (verb) {
                case "login" -> login(in, asked);
                case "logout" -> logout(in);
                case "link" -> CloudAtDoor.link(in, connector, rest);
                case "admin-link" -> adminLink(in, asked);
                case "launch" -> launch(in, asked);
                case "list" -> list(in, asked);
                case "show" -> shown(in, asked, session(in, asked, rest));
                case "logs" -> logs(in, asked, rest);
                case "stop" ->
                        shown(
                                in,
                                asked,
                                signedIn(in, asked)
                                        .send("POST", path(in, asked, rest) + "/stop", null));
                case "extend" -> extend(in, asked, rest);
                case "usage" -> usage(in, asked);
                default -> throw new Failure("say what to do, as in spur cloud list; see --help");
            };
        } catch (CloudClient.Refusal refusal) {
            throw refusal.failure();
        }
    }

    private int login(Invocation in, Arguments asked) {
        var client = client(in, asked, "");
        var signIn = new SignIn(in, client);
        var key = asked.has(TOKEN) ? signIn.byToken() : signIn.byPassword(asked.get(EMAIL, ""));
        keyring.store(in, key);
        in.out().println("Signed in to %s as %s.".formatted(key.url(), key.user()));
        return 0;
    }

    private int logout(Invocation in) {
        keyring.forget(in);
        in.out()
                .println(
                        "The token is forgotten here. Revoke it in the cloud's settings if somebody may have it.");
        return 0;
    }

    private int adminLink(Invocation in, Arguments asked) {
        var made = client(in, asked, "").send("POST", "/api/auth/admin-link", null);
        in.out().println(CloudClient.printable(made.path("url").asString("")));
        return 0;
    }

    private int launch(Invocation in, Arguments asked) {
        var wish = new LinkedHashMap<String, Object>();
        asked.get(NAME).ifPresent(name -> wish.put("name", name));
        asked.get(GPU).ifPresent(text -> putGpus(text, wish));
        asked.get(CPUS).ifPresent(cpus -> wish.put("cpus", cpus));
        asked.get(MEMORY).ifPresent(memory -> wish.put("memory_mb", memory));
        asked.get(IMAGE).ifPresent(image -> wish.put("container_image", image));
        asked.get(TEMPLATE).ifPresent(template -> wish.put("template", template));
        asked.get(TIME).ifPresent(minutes -> wish.put("time_limit_min", minutes));
        asked.get(PROJECT).ifPresent(project -> wish.put("project", project));
        asked.get(PARTITION).ifPresent(partition -> wish.put("partition", partition));
        wish.put("ssh_enabled", !asked.has(NO_SSH));
        return shown(in, asked, signedIn(in, asked).send("POST", "/api/sessions", wish));
    }

    private static void putGpus(String text, Map<String, Object> wish) {
        var colon = text.lastIndexOf(':');
        var count = colon >= 0 ? count(text.substring(colon + 1)) : text.equals("none") ? 0 : 1;
        wish.put("gpu_type", colon < 0 ? text : text.substring(0, colon));
        wish.put("gpu_count", count);
    }

    private int list(Invocation in, Arguments asked) {
        var query = new LinkedHashMap<>(Map.of("limit", "1000"));
        asked.get(PROJECT).ifPresent(project -> query.put("project", project));
        if (!asked.has(ALL)) {
            query.put("state", "creating,pending,running,stopping,suspended");
        }
        var sessions = signedIn(in, asked).get("/api/sessions", query);
        if (asked.has(JSON)) {
            return json(in, sessions);
        }
        var listing = new Listing("ID", "NAME", "STATE", "GPUS", "NODE", "ENDS", "COST");
        for (var session : sessions) {
            listing.row(
                    text(session, "id").substring(0, Math.min(8, text(session, "id").length())),
                    text(session, "name"),
                    text(session, "state"),
                    gpus(session),
                    text(session, "node_name"),
                    text(session, "ends_at"),
                    cost(session));
        }
        in.out().print(listing.text());
        return 0;
    }

    private static String gpus(JsonNode session) {
        var count = session.path("gpu_count").asInt(0);
        return count == 0 ? "-" : text(session, "gpu_type") + ":" + count;
    }

    private static String cost(JsonNode session) {
        var cost = session.path("cost");
        return cost.isObject()
                ? text(cost, "amount") + " " + text(cost, "currency")
                : cost.isMissingNode() || cost.isNull() ? "" : cost.asString("");
    }

    private int shown(Invocation in, Arguments asked, JsonNode session) {
        if (asked.has(JSON)) {
            return json(in, session);
        }
        for (var field : session.properties()) {
            var value = field.getValue();
            if (!value.isNull() && !(value.isContainer() && value.isEmpty())) {
                in.out()
                        .println(
                                "%-16s %s"
                                        .formatted(
                                                field.getKey(),
                                                CloudClient.printable(
                                                        value.isValueNode()
                                                                ? value.asString("")
                                                                : value.toString())));
            }
        }
        return 0;
    }

    private int logs(Invocation in, Arguments asked, List<String> words) {
        var query = new LinkedHashMap<String, String>();
        asked.get(TAIL).ifPresent(lines -> query.put("tail", Integer.toString(lines)));
        if (asked.has(FOLLOW)) {
            query.put("follow", "true");
            in.takesLong();
        }
        try (var output = signedIn(in, asked).stream(path(in, asked, words) + "/logs", query)) {
            var piece = new byte[16 << 10];
            for (var size = output.read(piece); size >= 0; size = output.read(piece)) {
                in.out().write(piece, 0, size);
                in.out().flush();
            }
            return 0;
        } catch (IOException e) {
            throw new Failure(CloudClient.AWAY, "the output broke off: " + e.getMessage());
        }
    }

    private int extend(Invocation in, Arguments asked, List<String> words) {
        var minutes =
                asked.get(TIME)
                        .orElseThrow(() ->
                                new Failure(
                                        "by how much? Say spur cloud extend SESSION --time=60"));
        return shown(
                in,
                asked,
                signedIn(in, asked)
                        .send(
                                "POST",
                                path(in, asked, words) + "/extend",
                                Map.of("minutes", minutes)));
    }

    private int usage(Invocation in, Arguments asked) {
        var query = new LinkedHashMap<String, String>();
        asked.get(SINCE).ifPresent(time -> query.put("since", time));
        asked.get(UNTIL).ifPresent(time -> query.put("until", time));
        var client = signedIn(in, asked);
        var summary = client.get("/api/billing/summary", query);
        if (asked.has(JSON)) {
            return json(in, summary);
        }
        var currency = text(summary, "currency");
        var listing = new Listing("GPU", "SESSIONS", "HOURS", "COST");
        for (var type : summary.path("by_gpu_type")) {
            listing.row(
                    text(type, "gpu_type"),
                    text(type, "session_count"),
                    hours(type),
                    text(type, "cost") + " " + currency);
        }
        var hours = BigDecimal.valueOf(summary.path("total_gpu_hours").asDouble(0));
        listing.row(
                "all",
                "",
                hours.setScale(2, RoundingMode.HALF_UP).toPlainString(),
                text(summary, "total_cost") + " " + currency);
        in.out().print(listing.text());
        return 0;
    }

    private static String hours(JsonNode type) {
        return BigDecimal.valueOf(type.path("gpu_hours").asDouble(0))
                .setScale(2, RoundingMode.HALF_UP)
                .toPlainString();
    }

    /// The program ssh of the caller's, with the address and port of the gateway.
    private int ssh(Invocation in, Arguments asked) throws Exception {
        var words = asked.operands();
        try {
            if (words.isEmpty()) {
                throw new Failure("which session? Say spur cloud ssh SESSION");
            }
            var session = session(in, asked, words.subList(0, 1));
            var host = text(session, "ssh_host");
            var port = text(session, "ssh_port");
            // what an API says is no option of ssh
            if (!host.matches("[A-Za-z0-9][A-Za-z0-9.:_-]*") || !port.matches("[0-9]{1,5}")) {
                throw new Failure(
                        "session %s has no SSH (it is %s)"
                                .formatted(text(session, "name"), text(session, "state")));
            }
            var command =
                    new ArrayList<>(
                            List.of("ssh", "-p", port, "-l", text(session, "id"), "--", host));
            command.addAll(words.subList(1, words.size()));
            in.takesLong();
            in.out().flush();
            return in.children().spawn(command, in.environment()).waitFor().code();
        } catch (CloudClient.Refusal refusal) {
            throw refusal.failure();
        }
    }

    private String path(Invocation in, Arguments asked, List<String> words) {
        return "/api/sessions/" + text(session(in, asked, words), "id");
    }

    /// By id, by the beginning of one, or by a name; of several with that name the one that lives.
    private JsonNode session(Invocation in, Arguments asked, List<String> words) {
        if (words.size() != 1) {
            throw new Failure("which session? spur cloud list shows yours");
        }
        var word = words.getFirst();
        var client = signedIn(in, asked);
        if (word.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) {
            return client.get("/api/sessions/" + word, Map.of());
        }
        var found = new ArrayList<JsonNode>();
        client.get("/api/sessions", Map.of("limit", "1000"))
                .forEach(session -> {
                    if (text(session, "name").equals(word)
                            || word.length() >= 4 && text(session, "id").startsWith(word)) {
                        found.add(session);
                    }
                });
        var alive = found.stream().filter(each -> text(each, "ended_at").isEmpty()).toList();
        return one(alive.isEmpty() ? found : alive, word);
    }

    private static JsonNode one(List<JsonNode> found, String word) {
        if (found.isEmpty()) {
            throw new Failure(CloudClient.NOT_THERE, "there is no session " + word);
        }
        if (found.size() > 1) {
            throw new Failure(
                    "%d sessions are called %s: say which by its id".formatted(found.size(), word));
        }
        return found.getFirst();
    }

    private CloudClient signedIn(Invocation in, Arguments asked) {
        var fromEnvironment = in.environment("SPUR_CLOUD_TOKEN");
        if (fromEnvironment != null && !fromEnvironment.isBlank()) {
            return client(in, asked, fromEnvironment.strip());
        }
        var key =
                keyring.load(in)
                        .orElseThrow(() ->
                                new Failure(
                                        CloudClient.NOT_SIGNED_IN,
                                        "you are not signed in. Say spur cloud login"));
        var client = client(in, asked, key.token());
        if (!client.url().equals(key.url())) {
            throw new Failure(
                    CloudClient.NOT_SIGNED_IN,
                    "you are signed in to %s, not to %s. Say spur cloud login"
                            .formatted(key.url(), client.url()));
        }
        return client;
    }

    private CloudClient client(Invocation in, Arguments asked, String token) {
        var url =
                asked.get(URL)
                        .or(() -> keyring.load(in).map(Keyring.Key::url))
                        .orElseThrow(() ->
                                new Failure(
                                        "where is the cloud? Say --url=https://gpu.example.com, or set SPUR_CLOUD_URL"));
        return CloudClient.of(url, token, trust.of(in));
    }

    private static int json(Invocation in, JsonNode value) {
        in.out()
                .println(
                        CloudClient.JSON
                                .writerWithDefaultPrettyPrinter()
                                .writeValueAsString(value));
        return 0;
    }

    private static String text(JsonNode node, String field) {
        var value = node.path(field);
        return value.isMissingNode() || value.isNull() ? "" : value.asString("");
    }
}
