package dev.spur.cloud.billing;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.config.BillingSection;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Problem;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// Everything about money, put together.
public final class Billing {
    private static final int MOST_LINES = 10_000;
    private static final int MOST_REMEMBERED = 10_000;

    private final Jdbi db;
    private final BillingSection config;
    private final InstantSource clock;
    private final AuditLog audit;
    private final UsageRecords records;
    private final Prices prices;
    private final Budgets budgets;
    private final Map<UUID, Cost> settled = new ConcurrentHashMap<>();

    public Billing(Jdbi db, BillingSection config, AuditLog audit, InstantSource clock) {
        this.db = db;
        this.config = config;
        this.clock = clock;
        this.audit = audit;
        this.records = new UsageRecords(db);
        this.prices = new Prices(db, clock);
        this.budgets = new Budgets(db, records, config.digits(), clock);
        config.prices()
                .forEach(
                        price -> prices.offer(price.resource(), price.amount(), price.validFrom()));
    }

    /// What a session costs.
    ///
    /// @param amount up to now
    /// @param isFinal whether it stays so
    public record Cost(BigDecimal amount, String currency, boolean isFinal) {}

    public List<Endpoint<Caller>> endpoints() {
        var endpoints =
                new ArrayList<>(
                        new BillingRoutes(
                                        records,
                                        prices,
                                        budgets,
                                        new ProjectBills(db),
                                        config,
                                        clock)
                                .endpoints());
        endpoints.addAll(
                new PriceAdministration(prices, budgets, audit, config, clock).endpoints());
        return endpoints;
    }

    /// Null: nothing was used.
    public @Nullable Cost cost(UUID session) {
        var known = settled.get(session);
        if (known != null) {
            return known;
        }
        var lines =
                records.between(
                        new UsageRecords.Whose(null, null, session),
                        Instant.EPOCH,
                        clock.instant().plusSeconds(1),
                        MOST_LINES);
        if (lines.isEmpty()) {
            return null;
        }
        var now = clock.instant();
        var amount =
                lines.stream()
                        .map(billed -> billed.line().amount(billed.until(now), config.digits()))
                        .reduce(BigDecimal.ZERO, BigDecimal::add);
        var cost = new Cost(amount, config.currency(), lines.getFirst().isFinal());
        if (cost.isFinal()) {
            if (settled.size() >= MOST_REMEMBERED) {
                settled.clear();
            }
            settled.put(session, cost);
        }
        return cost;
    }

    /// Refuses a launch that a budget does not pay for.
    public void requireBudget(UUID person, @Nullable UUID project) {
        budgets.usedUp(person, project)
                .ifPresent(standing -> {
                    throw Problem.of(
                            403,
                            "budget-used-up",
                            "%s of %s %s of this month's budget %s spent."
                                    .formatted(
                                            standing.spent().toPlainString(),
                                            standing.budget().perMonth().toPlainString(),
                                            config.currency(),
                                            standing.budget().projectId() == null
                                                    ? "of yours is"
                                                    : "of the project is"),
                            "Ask an administrator for more, or wait for the next month.");
                });
    }

    /// Keeps the bills up to date from now on.
    ///
    /// @param stop ends a session, saying why
    public Settling start(Truth truth, BiConsumer<UUID, String> stop) {
        return Settling.start(
                records,
                prices,
                truth,
                clock,
                new BudgetWatch(budgets, audit, new Stopped(stop)),
                config.settleEvery());
    }

    /// One round, now.
    public void settle(Truth truth, BiConsumer<UUID, String> stop) {
        Settling.settle(records, prices, truth, clock);
        new BudgetWatch(budgets, audit, new Stopped(stop)).run();
    }

    /// How many sessions accounting has not said its last word about.
    public long unsettled() {
        return records.unsettledCount();
    }

    private final class Stopped implements BudgetWatch.Sessions {
        private final BiConsumer<UUID, String> stop;

        Stopped(BiConsumer<UUID, String> stop) {
            this.stop = stop;
        }

        @Override
        public List<UUID> active(Budgets.Budget budget) {
            return db.withHandle(handle ->
                    handle.createQuery(
                                    """
                                    select id from session
                                     where state in ('creating', 'pending', 'running', 'suspended') and stop_requested_at is null
                                       and (person_id = :person or project_id = :project)
                                    """)
                            .bind("person", budget.personId())
                            .bind("project", budget.projectId())
                            .mapTo(UUID.class)
                            .list());
        }

        @Override
        public void stop(UUID session, String because) {
            stop.accept(session, because);
        }
    }
}
