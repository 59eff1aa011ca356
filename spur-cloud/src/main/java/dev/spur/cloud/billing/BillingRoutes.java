package dev.spur.cloud.billing;

import static dev.spur.cloud.access.Needs.BILLING;
import static dev.spur.cloud.access.Needs.USER;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.config.BillingSection;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `/api/billing`: what one used, what it costs, what one may spend.
public final class BillingRoutes {
    private static final String TAG = "billing";
    private static final Duration USUAL = Duration.ofDays(30);
    private static final Duration LONGEST = Duration.ofDays(3660);
    private static final int MOST_ROWS = 100_000;
    private static final int MOST_ALERTS = 200;

    private final UsageRecords records;
    private final Prices prices;
    private final Budgets budgets;
    private final ProjectBills projects;
    private final BillingSection config;
    private final InstantSource clock;

    public BillingRoutes(
            UsageRecords records,
            Prices prices,
            Budgets budgets,
            ProjectBills projects,
            BillingSection config,
            InstantSource clock) {
        this.records = records;
        this.prices = prices;
        this.budgets = budgets;
        this.projects = projects;
        this.config = config;
        this.clock = clock;
    }

    /// @param until null: until there is another
    public record PriceShown(
            UUID id,
            String resource,
            BigDecimal perHour,
            String currency,
            Instant from,
            @Nullable Instant until) {}

    /// @param spent this month, with what runs
    public record BudgetShown(
            UUID id,
            @Nullable UUID personId,
            @Nullable UUID projectId,
            BigDecimal perMonth,
            String currency,
            List<Integer> alerts,
            boolean hardStop,
            BigDecimal spent,
            int percent) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/billing/usage", "listUsage")
                        .tag(TAG)
                        .says("Lines of the bill, the newest first, with those that still grow")
                        .needs(USER, BILLING)
                        .query("since", Instant.class, "from then on; default: 30 days ago")
                        .query("until", Instant.class, "until then; default: now")
                        .query("session", UUID.class, "only of this session")
                        .query("project", UUID.class, "of a project that you own")
                        .query("user", UUID.class, "of this person; administrators")
                        .query("all", boolean.class, "of everybody; administrators")
                        .query("format", String.class, "json or csv")
                        .query("limit", int.class, "at most so many, 1 to 100000")
                        .answers(200, Lists.of(Report.Row.class))
                        .by(this::usage),
                Endpoint.<Caller>get("/api/billing/summary", "getUsageSummary")
                        .tag(TAG)
                        .says("Usage and money by type of GPU, by day and by project")
                        .needs(USER, BILLING)
                        .query("since", Instant.class, "from then on; default: 30 days ago")
                        .query("until", Instant.class, "until then; default: now")
                        .query("project", UUID.class, "of a project that you own")
                        .query("user", UUID.class, "of this person; administrators")
                        .query("all", boolean.class, "of everybody; administrators")
                        .query("zone", String.class, "where days begin; default: UTC")
                        .answers(200, Report.Summary.class)
                        .by(this::summary),
                Endpoint.<Caller>get("/api/billing/prices", "listPrices")
                        .tag(TAG)
                        .says("What things cost per hour, now and later")
                        .needs(USER, BILLING)
                        .answers(200, Lists.of(PriceShown.class))
                        .by(_ -> Answer.ok(prices())),
                Endpoint.<Caller>get("/api/billing/budgets", "listMyBudgets")
                        .tag(TAG)
                        .says("What you and your projects may spend in a month, and have spent")
                        .needs(USER, BILLING)
                        .answers(200, Lists.of(BudgetShown.class))
                        .by(call -> Answer.ok(budgets(call).stream().map(this::shown).toList())),
                Endpoint.<Caller>get("/api/billing/alerts", "listMyBudgetAlerts")
                        .tag(TAG)
                        .says("When budgets of yours came to their end, the newest first")
                        .needs(USER, BILLING)
                        .answers(200, Lists.of(Budgets.Alert.class))
                        .by(call -> Answer.ok(budgets.alerts(budgets(call), MOST_ALERTS))));
    }

    private List<Budgets.Budget> budgets(Call<Caller> call) {
        var person = call.caller().person().id();
        return budgets.all(person, projects.ownedBy(person));
    }

    private BudgetShown shown(Budgets.Budget budget) {
        return shown(budgets.standing(budget), config.currency());
    }

    static BudgetShown shown(Budgets.Standing standing, String currency) {
        var budget = standing.budget();
        return new BudgetShown(
                budget.id(),
                budget.personId(),
                budget.projectId(),
                budget.perMonth(),
                currency,
                budget.alerts(),
                budget.hardStop(),
                standing.spent(),
                standing.percent());
    }

    /// Those that hold now or will.
    private List<PriceShown> prices() {
        var now = clock.instant();
        return shown(prices.all(), config.currency()).stream()
                .filter(price -> price.until() == null || price.until().isAfter(now))
                .toList();
    }

    static List<PriceShown> shown(List<Price> all, String currency) {
        var shown = new ArrayList<PriceShown>();
        for (var i = 0; i < all.size(); i++) {
            var price = all.get(i);
            var isFollowed =
                    i + 1 < all.size() && all.get(i + 1).resource().equals(price.resource());
            shown.add(
                    new PriceShown(
                            price.id(),
                            price.resource(),
                            price.perHour(),
                            currency,
                            price.validFrom(),
                            isFollowed ? all.get(i + 1).validFrom() : null));
        }
        return shown;
    }

    private Answer usage(Call<Caller> call) {
        var format = call.query("format").orElse("json");
        if (!format.equals("json") && !format.equals("csv")) {
            throw Problem.field("format", "must be json or csv");
        }
        var rows = report(call, call.number("limit", 1, MOST_ROWS, MOST_ROWS)).rows();
        return format.equals("json")
                ? Answer.ok(rows)
                : Answer.bytes("text/csv; charset=utf-8", Csv.of(rows))
                        .with("Content-Disposition", "attachment; filename=\"usage.csv\"");
    }

    private Answer summary(Call<Caller> call) {
        return Answer.ok(report(call, MOST_ROWS).summary(zone(call)));
    }

    private static ZoneId zone(Call<Caller> call) {
        try {
            return Report.zone(call.query("zone").orElse(""));
        } catch (DateTimeException e) {
            throw Problem.field("zone", "must be a time zone as in Europe/Berlin").causedBy(e);
        }
    }

    private Report report(Call<Caller> call, int atMost) {
        var now = clock.instant();
        var until = call.instant("until").orElse(now);
        var since = call.instant("since").orElse(until.minus(USUAL));
        if (since.isAfter(until) || Duration.between(since, until).compareTo(LONGEST) > 0) {
            throw Problem.field("since", "must be before until, by ten years at most");
        }
        var lines = records.between(whose(call), since, until, atMost);
        if (lines.size() == MOST_ROWS) {
            throw Problem.field("since", "is too long ago for one answer: ask for a shorter time");
        }
        return new Report(lines, since, until, now, config.currency(), config.digits());
    }

    private UsageRecords.Whose whose(Call<Caller> call) {
        var person = call.caller().person();
        var session = id(call, "session");
        var project = id(call, "project");
        var user = id(call, "user");
        var all = call.query("all").filter("true"::equals).isPresent();
        if ((user != null || all) && !mayAdminister(person)) {
            throw Problem.of(
                    403,
                    "administrators-only",
                    "Only administrators see what others used.",
                    "Ask one of them.");
        }
        if (project != null
                && !mayAdminister(person)
                && !projects.ownedBy(person.id()).contains(project)) {
            throw Problem.notFound("project");
        }
        var whom = user != null ? user : all || project != null ? null : person.id();
        return new UsageRecords.Whose(whom, project, session);
    }

    /// A token that was made for somebody's own bills shows nobody else's.
    private static boolean mayAdminister(Caller.Person person) {
        return person.isAdmin()
                && (person.login() != null
                        || person.scopes().contains("admin")
                        || person.scopes().contains("read"));
    }

    private static @Nullable UUID id(Call<Caller> call, String name) {
        return call.query(name).map(text -> id(name, text)).orElse(null);
    }

    static UUID id(String name, String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.field(name, "is not an id").causedBy(e);
        }
    }
}
