package dev.spur.cli.sacctmgr;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.AccountsChange;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import java.io.IOException;
import java.util.List;

/// Carries out what was looked up first: exactly that, or nothing. If somebody else is faster, what
/// was agreed to may have become something else; without a question it is looked up again.
final class Commit {
    private static final int TRIES = 10;

    private Commit() {}

    /// What a look at the accounts has found to do.
    ///
    /// @param text tells it, once it is done or to be agreed to; empty if there is nothing
    record Plan(String text, List<AccountsChange> changes) {
        Plan {
            changes = List.copyOf(changes);
        }
    }

    @FunctionalInterface
    interface Planner {
        Plan plan(AccountBook book);
    }

    /// @param nothing what to print if there is nothing to do
    static int run(Session session, String nothing, Planner planner)
            throws IOException, InterruptedException {
        var book = session.book();
        var plan = planner.plan(book);
        for (var tries = 1; ; tries++) {
            if (plan.text().isEmpty()) {
                return session.nothing(nothing);
            }
            if (!session.isImmediate()) {
                session.out().print(plan.text());
                if (!session.agrees(Add.COMMIT)) {
                    session.out().println(" Changes Discarded");
                    return 0;
                }
            }
            try {
                var isChanged =
                        session.change(plan.changes(), book.revision()).getAffectedCount() > 0;
                if (session.isImmediate() && isChanged) {
                    session.out().print(plan.text());
                }
                return isChanged ? 0 : session.nothing(nothing);
            } catch (ControllerException e) {
                if (!isOutdated(e) || !session.isImmediate() || tries == TRIES) {
                    return session.fail(" Error with request: " + e.getMessage());
                }
                book = session.book();
                plan = planner.plan(book);
            }
        }
    }

    private static boolean isOutdated(ControllerException e) {
        return Refused.is(e, ErrorCode.CHANGED_MEANWHILE);
    }
}
