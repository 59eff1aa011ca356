package dev.spur.cloud.billing;

import static dev.spur.cloud.access.Needs.ADMIN;
import static dev.spur.cloud.access.Needs.ADMINISTRATION;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.BillingSection;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `/api/admin/prices` and `/api/admin/budgets`.
public final class PriceAdministration {
    private static final String TAG = "admin";
    private static final BigDecimal DEAREST = new BigDecimal("1000000");
    private static final BigDecimal LARGEST = new BigDecimal("1000000000");

    private final Prices prices;
    private final Budgets budgets;
    private final AuditLog audit;
    private final BillingSection config;
    private final InstantSource clock;

    public PriceAdministration(
            Prices prices,
            Budgets budgets,
            AuditLog audit,
            BillingSection config,
            InstantSource clock) {
        this.prices = prices;
        this.budgets = budgets;
        this.audit = audit;
        this.config = config;
        this.clock = clock;
    }

    /// @param resource cpu, gpu or gpu:TYPE
    /// @param from missing: from now on
    public record NewPrice(
            @Nullable String resource, @Nullable BigDecimal perHour, @Nullable Instant from) {}

    /// @param alerts at so many percent; missing: 50, 80 and 100
    public record NewBudget(
            @Nullable UUID personId,
            @Nullable UUID projectId,
            @Nullable BigDecimal perMonth,
            @Nullable List<Integer> alerts,
            @Nullable Boolean hardStop) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/admin/prices", "listAllPrices")
                        .tag(TAG)
                        .says("All prices, of all times")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(200, Lists.of(BillingRoutes.PriceShown.class))
                        .by(_ -> Answer.ok(BillingRoutes.shown(prices.all(), config.currency()))),
                Endpoint.<Caller>post("/api/admin/prices", "setPrice")
                        .tag(TAG)
                        .says(
                                "A price per hour from some time on; what was billed for good keeps its price")
                        .needs(ADMIN, ADMINISTRATION)
                        .takes(NewPrice.class)
                        .answers(201, Price.class)
                        .refuses(409)
                        .by(this::setPrice),
                Endpoint.<Caller>delete("/api/admin/prices/{id}", "removePrice")
                        .tag(TAG)
                        .says("Take a price back that nobody was billed by for good")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(204, Void.class)
                        .refuses(409)
                        .by(this::removePrice),
                Endpoint.<Caller>get("/api/admin/budgets", "listBudgets")
                        .tag(TAG)
                        .says("All budgets, with what was spent this month")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(200, Lists.of(BillingRoutes.BudgetShown.class))
                        .by(_ ->
                                Answer.ok(
                                        budgets.all(null, List.of()).stream()
                                                .map(this::shown)
                                                .toList())),
                Endpoint.<Caller>put("/api/admin/budgets", "setBudget")
                        .tag(TAG)
                        .says("What a person or a project may spend in a month (UTC)")
                        .needs(ADMIN, ADMINISTRATION)
                        .takes(NewBudget.class)
                        .answers(200, BillingRoutes.BudgetShown.class)
                        .by(this::setBudget),
                Endpoint.<Caller>delete("/api/admin/budgets/{id}", "removeBudget")
                        .tag(TAG)
                        .says("Take a budget away: there is no limit then")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(204, Void.class)
                        .by(this::removeBudget));
    }

    private BillingRoutes.BudgetShown shown(Budgets.Budget budget) {
        return BillingRoutes.shown(budgets.standing(budget), config.currency());
    }

    private Answer setPrice(Call<Caller> call) {
        var wish = call.body(NewPrice.class);
        var resource = String.valueOf(wish.resource());
        var perHour = wish.perHour();
        new Fields()
                .require(
                        Price.isResource(resource),
                        "resource",
                        "must be cpu, gpu, or gpu:TYPE as in gpu:mi300x")
                .require(
                        perHour != null
                                && perHour.signum() >= 0
                                && perHour.compareTo(DEAREST) <= 0
                                && perHour.stripTrailingZeros().scale() <= 6,
                        "per_hour",
                        "must be an amount of at most six digits after the point, as in \"2.50\"")
                .check();
        var from = wish.from() == null ? clock.instant() : wish.from();
        var by = call.caller().person().email();
        return switch (prices.set(resource, perHourOf(perHour), from, by)) {
            case Prices.Done(var price) -> {
                audit.add(
                        call,
                        "price.set",
                        resource,
                        "%s from %s".formatted(price.perHour().toPlainString(), from));
                yield Answer.created("/api/admin/prices/" + price.id(), price);
            }
            case Prices.AlreadyBilled(var until) -> throw alreadyBilled(until);
            case Prices.Unknown() -> throw Problem.notFound("price");
        };
    }

    private static BigDecimal perHourOf(@Nullable BigDecimal said) {
        return said == null ? BigDecimal.ZERO : said;
    }

    private static Problem alreadyBilled(Instant until) {
        return Problem.of(
                409,
                "already-billed",
                "Sessions that ended by %s are billed with the prices of their time."
                        .formatted(until),
                "Let the price begin after that.");
    }

    private Answer removePrice(Call<Caller> call) {
        return switch (prices.remove(call.id("id", "price"))) {
            case Prices.Done(var price) -> {
                audit.add(
                        call,
                        "price.remove",
                        price.resource(),
                        "%s from %s".formatted(price.perHour().toPlainString(), price.validFrom()));
                yield Answer.nothing();
            }
            case Prices.AlreadyBilled(var until) -> throw alreadyBilled(until);
            case Prices.Unknown() -> throw Problem.notFound("price");
        };
    }

    private Answer setBudget(Call<Caller> call) {
        var wish = call.body(NewBudget.class);
        var perMonth = wish.perMonth();
        var alerts = wish.alerts() == null ? List.of(50, 80, 100) : wish.alerts();
        new Fields()
                .require(
                        (wish.personId() == null) != (wish.projectId() == null),
                        "person_id",
                        "or project_id must be there, one of them")
                .require(
                        perMonth != null
                                && perMonth.signum() >= 0
                                && perMonth.compareTo(LARGEST) <= 0
                                && perMonth.stripTrailingZeros().scale() <= config.digits(),
                        "per_month",
                        "must be an amount of %d digits after the point at most"
                                .formatted(config.digits()))
                .require(
                        alerts.size() <= 10
                                && alerts.stream()
                                        .allMatch(percent ->
                                                percent != null && percent >= 1 && percent <= 1000),
                        "alerts",
                        "must be at most ten numbers of percent")
                .check();
        if (!budgets.exists(wish.personId(), wish.projectId())) {
            throw Problem.notFound(wish.personId() != null ? "user" : "project");
        }
        var set =
                budgets.set(
                        new Budgets.Budget(
                                UUID.randomUUID(),
                                wish.personId(),
                                wish.projectId(),
                                perHourOf(perMonth),
                                alerts.stream().distinct().sorted().toList(),
                                Boolean.TRUE.equals(wish.hardStop())));
        audit.add(
                call,
                "budget.set",
                String.valueOf(set.personId() != null ? set.personId() : set.projectId()),
                "%s a month%s"
                        .formatted(
                                set.perMonth().toPlainString(),
                                set.hardStop() ? ", hard stop" : ""));
        return Answer.ok(shown(set));
    }

    private Answer removeBudget(Call<Caller> call) {
        var id = call.id("id", "budget");
        if (!budgets.remove(id)) {
            throw Problem.notFound("budget");
        }
        audit.add(call, "budget.remove", id.toString(), "");
        return Answer.nothing();
    }
}
