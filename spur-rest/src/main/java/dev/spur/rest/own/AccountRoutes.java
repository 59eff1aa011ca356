package dev.spur.rest.own;

import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.view.AccountTables;
import dev.spur.api.view.HistoryTable;
import dev.spur.api.view.Surroundings;
import dev.spur.api.view.UsageTable;
import dev.spur.rest.cluster.AccountBook;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Who may use how much, and what was used.
final class AccountRoutes {
    private static final String ACCOUNTS = "Accounts";
    private static final String HISTORY = "History";
    private static final long MICROS = 1_000_000;
    private static final int MOST_RECORDS = 100_000;

    /// Reports by our names and those of the service.
    private static final Map<String, String> REPORTS =
            Map.of(
                    "cluster", "cluster utilization",
                    "accounts", "cluster accountutilizationbyuser",
                    "users", "cluster userutilizationbyaccount",
                    "top-users", "user topusage");

    private static final Set<String> CHOSEN_BEFORE =
            Set.of(
                    "from",
                    "until",
                    "user",
                    "account",
                    "partition",
                    "state",
                    "name",
                    "qos",
                    "steps");

    private AccountRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/accounts", "listAccounts")
                        .says(ACCOUNTS, "The accounts that you may see.")
                        .lists("accounts", AccountTables.ACCOUNTS)
                        .by(call -> {
                            var book = book(call, false);
                            return call.page(
                                    "accounts",
                                    AccountTables.ACCOUNTS,
                                    book.accounts(false),
                                    book.surroundings(),
                                    Set.of());
                        }),
                OwnRoute.get("/api/v1/users", "listUsers")
                        .says(ACCOUNTS, "The users that you may see.")
                        .lists("users", AccountTables.USERS)
                        .by(call -> {
                            var book = book(call, false);
                            return call.page(
                                    "users",
                                    AccountTables.USERS,
                                    book.users(false, false),
                                    book.surroundings(),
                                    Set.of());
                        }),
                OwnRoute.get("/api/v1/associations", "listAssociations")
                        .says(ACCOUNTS, "Who may use how much, with what was used of late.")
                        .lists("associations", AccountTables.ASSOCIATIONS)
                        .by(call -> {
                            var book = book(call, true);
                            return call.page(
                                    "associations",
                                    AccountTables.ASSOCIATIONS,
                                    book.all().getAssociationsList(),
                                    book.surroundings(),
                                    Set.of());
                        }),
                OwnRoute.get("/api/v1/qos", "listQos")
                        .says(ACCOUNTS, "The qualities of service.")
                        .lists("qos", AccountTables.QOS)
                        .by(call -> {
                            var book = book(call, false);
                            return call.page(
                                    "qos",
                                    AccountTables.QOS,
                                    book.all().getQosList(),
                                    book.surroundings(),
                                    Set.of());
                        }),
                OwnRoute.get("/api/v1/history", "listHistory")
                        .says(
                                HISTORY,
                                "Jobs of the past and of the present; of today, unless from says more.")
                        .lists("records", HistoryTable.JOBS)
                        .text("from", "jobs that lived after this instant")
                        .text("until", "jobs that lived before this instant")
                        .text("user", "only of these users, by comma")
                        .text("account", "only of these accounts, by comma")
                        .text("partition", "only in these partitions, by comma")
                        .text("state", "only in these states, by comma")
                        .text("name", "only of these names, by comma")
                        .text("qos", "only of these QOS, by comma")
                        .text("steps", "with their steps")
                        .by(AccountRoutes::history),
                OwnRoute.get("/api/v1/history/{id}", "getHistory")
                        .says(HISTORY, "All attempts of one job, with its steps.")
                        .lists("records", HistoryTable.JOBS)
                        .by(AccountRoutes::historyOfOne),
                OwnRoute.get("/api/v1/usage/{report}", "getUsage")
                        .says(
                                HISTORY,
                                "What was used: cluster, accounts, users or top-users; whole hours, of the last day unless from says more.")
                        .lists("rows", UsageTable.ROWS)
                        .text("from", "from this instant")
                        .text("until", "until this instant")
                        .text("tres", "these resources, by comma; default: cpu")
                        .by(AccountRoutes::usage));
    }

    private static AccountBook book(OwnCall call, boolean usage) {
        return AccountBook.ask(call.cluster(), call.caller(), usage);
    }

    private static Reply history(OwnCall call) {
        var request = call.request();
        var dayAgo = Instant.now().minus(Duration.ofDays(1));
        var query =
                RecordQuery.newBuilder()
                        .addAllUsers(request.list("user"))
                        .addAllAccounts(request.list("account"))
                        .addAllPartitions(request.list("partition"))
                        .addAllNames(request.list("name"))
                        .addAllQos(request.list("qos"))
                        .addAllStates(
                                request.list("state").stream()
                                        .map(state -> state.toUpperCase(Locale.ROOT))
                                        .toList())
                        .setFromMicros(instant(call, "from", dayAgo))
                        .setUntilMicros(instant(call, "until", Instant.EPOCH))
                        .setSteps(request.isSet("steps"))
                        .build();
        return records(call, query);
    }

    private static Reply historyOfOne(OwnCall call) {
        return records(
                call,
                RecordQuery.newBuilder()
                        .addIds(JobRoutes.id(call))
                        .setSteps(true)
                        .setDuplicates(true)
                        .build());
    }

    private static Reply records(OwnCall call, RecordQuery query) {
        var found = call.cluster().histories(call.caller(), query);
        if (found.jobs().size() > MOST_RECORDS) {
            throw Refusal.badQuery(
                    "these are %d jobs; say which with from, until, user or account"
                            .formatted(found.jobs().size()));
        }
        var surroundings =
                Surroundings.of(
                        found.cluster(), Instant.now().getEpochSecond() * MICROS, found.tres());
        return call.page("records", HistoryTable.JOBS, found.jobs(), surroundings, CHOSEN_BEFORE);
    }

    private static long instant(OwnCall call, String name, Instant otherwise) {
        try {
            return call.request()
                            .parameter(name)
                            .map(Instant::parse)
                            .orElse(otherwise)
                            .getEpochSecond()
                    * MICROS;
        } catch (DateTimeParseException e) {
            throw Refusal.badQuery(
                    "%s must be an instant, as 2026-01-31T12:00:00Z".formatted(name));
        }
    }

    private static Reply usage(OwnCall call) {
        var kind = REPORTS.get(call.request().value("report"));
        if (kind == null) {
            throw Refusal.nothingFound(
                    "there are the reports cluster, accounts, users and top-users");
        }
        var now = Instant.now();
        var until = instant(call, "until", now);
        var request =
                ReportRequest.newBuilder()
                        .setKind(kind)
                        .setFromMicros(instant(call, "from", now.minus(Duration.ofDays(1))))
                        .setUntilMicros(until)
                        .addAllTres(call.request().list("tres"))
                        .setZone("UTC")
                        .build();
        var reply = call.cluster().history(call.caller()).call(history -> history.report(request));
        return call.page(
                "rows",
                UsageTable.ROWS,
                reply.getRowsList(),
                call.surroundings(until),
                Set.of("from", "until", "tres"));
    }
}
