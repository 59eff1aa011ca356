package dev.spur.cli.token;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.ListTokensRequest;
import dev.spur.api.v1.RevokeCertificateRequest;
import dev.spur.api.v1.RevokeTokenRequest;
import dev.spur.api.v1.TokenView;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.FieldTable;
import dev.spur.cli.format.Layout;
import dev.spur.cli.format.Listing;
import dev.spur.cli.format.TimeText;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Refused;
import java.time.Duration;
import java.util.List;

/// `spur token create | list | revoke ID | join`
public final class Token implements Tool {
    private static final Option<Boolean> ALL =
            Option.flag("all").letter('a').help("list: the tokens of everybody");
    private static final Option<String> HOST =
            Option.text("host", "NAME")
                    .help(
                            "join: only a host of this name may use it; revoke: that host's certificates");
    private static final Option<Duration> LIFESPAN =
            Option.of("lifespan", "TIME", Lifespan::parse)
                    .letter('l')
                    .help("how long it is valid: 90s, 30m, 12h, 7d; or seconds");
    private static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('h').help("list: no header line");
    private static final Option<String> ROLE =
            Option.text("role", "ROLE")
                    .help("join: compute (the default), login, admin or controller");
    private static final Option<String> USER =
            Option.text("user", "NAME")
                    .letter('u')
                    .help("create: a token for somebody else (administrators)");

    private static final OptionTable TABLE =
            OptionTable.of(
                            """
                            create|list|revoke|join [OPTIONS...]

                              create      a token by which you are known from elsewhere (SLURM_JWT, SPUR_AUTH_TOKEN)
                              list        your tokens; a token itself is shown only when it is made
                              revoke ID   makes a token worthless at once; with --host, the certificates of that host
                              join        a one-time token by which a new host joins (--role, --host)
                            """
                                    .strip())
                    .options(ALL, HOST, LIFESPAN, NO_HEADER, ROLE, USER);

    private static final FieldTable<TokenView> FIELDS =
            new FieldTable<>(
                    "token",
                    List.of(
                            Field.of(
                                    'i',
                                    "ID",
                                    (text, token, _) -> text.append(token.getId()),
                                    "id"),
                            Field.of(
                                    'u',
                                    "USER",
                                    (text, token, _) -> text.append(token.getUser()),
                                    "user"),
                            Field.of(
                                    'c',
                                    "CREATED",
                                    (text, token, view) ->
                                            view.times()
                                                    .append(text, token.getCreatedMicros(), "N/A"),
                                    "created"),
                            Field.of(
                                    'e',
                                    "EXPIRES",
                                    (text, token, view) ->
                                            view.times()
                                                    .append(
                                                            text,
                                                            token.getExpiresMicros(),
                                                            "never"),
                                    "expires"),
                            Field.of('s', "STATE", Token::state, "state")));

    private final Connector connector;

    public Token(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(
                in,
                arguments -> {
                    try {
                        return run(in, arguments);
                    } catch (ControllerException refusal) {
                        throw new Failure(Refused.message(refusal));
                    }
                });
    }

    private int run(Invocation in, Arguments arguments) {
        var words = arguments.operands();
        var verb = words.isEmpty() ? "" : words.getFirst();
        switch (verb) {
            case "create" -> create(in, arguments, connector.connect(in));
            case "list" -> list(in, arguments, connector.connect(in));
            case "revoke" ->
                    revoke(in, arguments, words.subList(1, words.size()), connector.connect(in));
            case "join" -> join(in, arguments, connector.connect(in));
            default ->
                    throw new Failure("say what to do: spur token create, list, revoke ID or join");
        }
        return 0;
    }

    private static void create(Invocation in, Arguments arguments, ControllerClient client) {
        var request =
                CreateTokenRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .setUser(arguments.get(USER, ""))
                        .setLifespanSeconds(seconds(arguments))
                        .build();
        var made = client.call(controller -> controller.createToken(request));
        in.out().println(made.getToken());
        in.err()
                .println(
                        "token %s is valid until %s"
                                .formatted(
                                        made.getId(),
                                        times(in).text(made.getExpiresMicros(), "it is revoked")));
    }

    private static void list(Invocation in, Arguments arguments, ControllerClient client) {
        var request = ListTokensRequest.newBuilder().setAllUsers(arguments.has(ALL)).build();
        var tokens = client.call(controller -> controller.listTokens(request)).getTokensList();
        var now = in.clock().instant().getEpochSecond() * 1_000_000;
        var view = View.of(in, now);
        var layout = Layout.ofLetters(FIELDS, "%#i %#u %19c %19e %s", _ -> {}).fitted(tokens, view);
        var listing = new Listing<>(layout, view, in.out());
        if (!arguments.has(NO_HEADER)) {
            listing.header();
        }
        listing.rows(tokens);
    }

    private static void revoke(
            Invocation in, Arguments arguments, List<String> ids, ControllerClient client) {
        if (ids.isEmpty() && !arguments.has(HOST)) {
            throw new Failure("say which token to revoke: spur token list shows their ids");
        }
        if (arguments.has(HOST)) {
            var request =
                    RevokeCertificateRequest.newBuilder()
                            .setRequestId(in.newRequestId())
                            .setHost(arguments.get(HOST, ""))
                            .build();
            client.call(controller -> controller.revokeCertificate(request));
        }
        for (var id : ids) {
            var request =
                    RevokeTokenRequest.newBuilder()
                            .setRequestId(in.newRequestId())
                            .setId(id)
                            .build();
            client.call(controller -> controller.revokeToken(request));
        }
    }

    private static void join(Invocation in, Arguments arguments, ControllerClient client) {
        var request =
                CreateJoinTokenRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .setRole(arguments.get(ROLE, "compute"))
                        .setHost(arguments.get(HOST, ""))
                        .setLifespanSeconds(seconds(arguments))
                        .build();
        var made = client.call(controller -> controller.createJoinToken(request));
        in.out().println(made.getToken());
        in.err()
                .println(
                        "one host can join with it until %s: %s --token TOKEN"
                                .formatted(
                                        times(in).text(made.getExpiresMicros(), "it was used"),
                                        daemon(request.getRole())));
    }

    /// What a host of that role runs.
    private static String daemon(String role) {
        return switch (role) {
            case "controller" -> "spurctld";
            case "login", "admin" -> "spur-door";
            case "cloud", "cloud-admin" -> "spur-cloud-api";
            default -> "spurd";
        };
    }

    /// Zero: what the cluster gives by default.
    private static int seconds(Arguments arguments) {
        return (int)
                Math.min(Integer.MAX_VALUE, arguments.get(LIFESPAN, Duration.ZERO).toSeconds());
    }

    private static TimeText times(Invocation in) {
        return TimeText.of(in);
    }

    private static void state(StringBuilder text, TokenView token, View view) {
        var isExpired =
                token.getExpiresMicros() != 0 && token.getExpiresMicros() <= view.nowMicros();
        text.append(token.getRevoked() ? "revoked" : isExpired ? "expired" : "valid");
    }
}
