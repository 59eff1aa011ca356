package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/// What people and projects may spend in a month. The only place that knows the tables `budget` and
/// `budget_alert`.
public final class Budgets {
    private static final int MOST_LINES = 1_000_000;
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private final Jdbi db;
    private final UsageRecords records;
    private final int digits;
    private final InstantSource clock;

    public Budgets(Jdbi db, UsageRecords records, int digits, InstantSource clock) {
        this.db = db;
        this.records = records;
        this.digits = digits;
        this.clock = clock;
    }

    /// @param personId of whom; null: of a project
    /// @param alerts at so many percent
    /// @param hardStop at 100 percent sessions are stopped, and none is launched
    public record Budget(
            UUID id,
            @Nullable UUID personId,
            @Nullable UUID projectId,
            BigDecimal perMonth,
            List<Integer> alerts,
            boolean hardStop) {
        public Budget {
            alerts = List.copyOf(alerts);
        }
    }

    /// A budget and what became of it this month.
    public record Standing(Budget budget, BigDecimal spent, int percent) {
        boolean isUsedUp() {
            return spent.compareTo(budget.perMonth()) >= 0;
        }
    }

    /// @param month its first day
    public record Alert(
            long id, UUID budgetId, LocalDate month, int percent, BigDecimal spent, Instant at) {}

    private static final RowMapper<Budget> BUDGET =
            (row, _) ->
                    new Budget(
                            row.getObject("id", UUID.class),
                            row.getObject("person_id", UUID.class),
                            row.getObject("project_id", UUID.class),
                            row.getBigDecimal("per_month").stripTrailingZeros(),
                            Arrays.asList((Integer[]) row.getArray("alerts").getArray()),
                            row.getBoolean("hard_stop"));

    /// @param person null: of everybody
    public List<Budget> all(@Nullable UUID person, List<UUID> projects) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select * from budget
                                 where cast(:person as uuid) is null or person_id = :person or project_id = any(:projects)
                                 order by created_at, id
                                """)
                        .bind("person", person)
                        .bindArray("projects", UUID.class, projects)
                        .map(BUDGET)
                        .list());
    }

    boolean exists(@Nullable UUID person, @Nullable UUID project) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select exists (select from person where id = :person) or exists (select from project where id = :project)")
                        .bind("person", person)
                        .bind("project", project)
                        .mapTo(Boolean.class)
                        .one());
    }

    /// One that somebody, or a project, has already is replaced.
    public Budget set(Budget wish) {
        return db.inTransaction(handle -> {
            handle.createUpdate(
                            "delete from budget where person_id = :person or project_id = :project")
                    .bind("person", wish.personId())
                    .bind("project", wish.projectId())
                    .execute();
            return handle.createQuery(
                            """
                            insert into budget (id, person_id, project_id, per_month, alerts, hard_stop, created_at)
                            values (:id, :person, :project, :perMonth, :alerts, :hardStop, :now) returning *
                            """)
                    .bind("id", wish.id())
                    .bind("person", wish.personId())
                    .bind("project", wish.projectId())
                    .bind("perMonth", wish.perMonth())
                    .bindArray("alerts", Integer.class, wish.alerts())
                    .bind("hardStop", wish.hardStop())
                    .bind("now", clock.instant())
                    .map(BUDGET)
                    .one();
        });
    }

    public boolean remove(UUID id) {
        return db.withHandle(handle ->
                handle.createUpdate("delete from budget where id = :id").bind("id", id).execute())
                == 1;
    }

    /// With what runs, up to now.
    public Standing standing(Budget budget) {
        var month = YearMonth.from(clock.instant().atOffset(ZoneOffset.UTC));
        var from = month.atDay(1).atStartOfDay().toInstant(ZoneOffset.UTC);
        var until = month.plusMonths(1).atDay(1).atStartOfDay().toInstant(ZoneOffset.UTC);
        var lines =
                records.between(
                        new UsageRecords.Whose(budget.personId(), budget.projectId(), null),
                        from,
                        until,
                        MOST_LINES);
        var spent =
                new Report(lines, from, until, clock.instant(), "", digits)
                        .summary(ZoneOffset.UTC)
                        .totalCost();
        var percent =
                budget.perMonth().signum() == 0
                        ? 100
                        : spent.multiply(HUNDRED)
                                .divide(budget.perMonth(), 0, RoundingMode.DOWN)
                                .min(BigDecimal.valueOf(999_999))
                                .intValue();
        return new Standing(budget, spent, percent);
    }

    /// The budget by which nothing may be launched for this person, in this project; empty: it may.
    public Optional<Standing> usedUp(UUID person, @Nullable UUID project) {
        return all(person, project == null ? List.of() : List.of(project)).stream()
                .filter(Budget::hardStop)
                .map(this::standing)
                .filter(Standing::isUsedUp)
                .findFirst();
    }

    /// Remembers that somebody was told; each once a month, however many look at the same time.
    List<Integer> alertsDue(Standing standing) {
        var now = clock.instant();
        var month = YearMonth.from(now.atOffset(ZoneOffset.UTC)).atDay(1);
        var due = new ArrayList<Integer>();
        for (var percent : standing.budget().alerts()) {
            if (standing.percent() >= percent
                    && db.withHandle(handle ->
                            handle.createUpdate(
                                            """
                                            insert into budget_alert (budget_id, month, percent, spent, at)
                                            values (:budget, :month, :percent, :spent, :now)
                                            on conflict do nothing
                                            """)
                                    .bind("budget", standing.budget().id())
                                    .bind("month", month)
                                    .bind("percent", percent)
                                    .bind("spent", standing.spent())
                                    .bind("now", now)
                                    .execute())
                            == 1) {
                due.add(percent);
            }
        }
        return due;
    }

    /// The newest first.
    public List<Alert> alerts(List<Budget> budgets, int atMost) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select * from budget_alert where budget_id = any(:budgets) order by id desc limit :most
                                """)
                        .bindArray("budgets", UUID.class, budgets.stream().map(Budget::id).toList())
                        .bind("most", atMost)
                        .map((row, _) ->
                                new Alert(
                                        row.getLong("id"),
                                        row.getObject("budget_id", UUID.class),
                                        row.getObject("month", LocalDate.class),
                                        row.getInt("percent"),
                                        row.getBigDecimal("spent").stripTrailingZeros(),
                                        row.getObject("at", OffsetDateTime.class).toInstant()))
                        .list());
    }
}
