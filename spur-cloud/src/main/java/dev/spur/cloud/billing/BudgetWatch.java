package dev.spur.cloud.billing;

import dev.spur.cloud.audit.AuditLog;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells when budgets come to their end, and ends what they do not pay for any more.
public final class BudgetWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(BudgetWatch.class);

    private final Budgets budgets;
    private final AuditLog audit;
    private final Sessions sessions;

    /// Sessions that can be ended.
    public interface Sessions {
        /// Those of a person, in projects or not, or of a project, that wait or run.
        List<UUID> active(Budgets.Budget budget);

        void stop(UUID session, String because);
    }

    public BudgetWatch(Budgets budgets, AuditLog audit, Sessions sessions) {
        this.budgets = budgets;
        this.audit = audit;
        this.sessions = sessions;
    }

    @Override
    public void run() {
        for (var budget : budgets.all(null, List.of())) {
            var standing = budgets.standing(budget);
            for (var percent : budgets.alertsDue(standing)) {
                tell(standing, percent);
            }
            if (budget.hardStop() && standing.isUsedUp()) {
                sessions.active(budget)
                        .forEach(session -> sessions.stop(session, "its budget is used up"));
            }
        }
    }

    private void tell(Budgets.Standing standing, int percent) {
        var budget = standing.budget();
        var whose =
                budget.personId() != null
                        ? "person " + budget.personId()
                        : "project " + budget.projectId();
        audit.addOwn(
                "budget.alert",
                whose,
                "%d%% of %s: %s"
                        .formatted(
                                percent,
                                budget.perMonth().toPlainString(),
                                standing.spent().toPlainString()));
        LOG.atWarn()
                .addKeyValue("of", whose)
                .addKeyValue("percent", percent)
                .addKeyValue("spent", standing.spent().toPlainString())
                .log("a budget comes to its end");
    }
}
