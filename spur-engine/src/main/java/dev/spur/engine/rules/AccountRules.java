package dev.spur.engine.rules;

import dev.spur.engine.account.AccountsEditor;
import dev.spur.engine.job.Charge;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.Text;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Changes of accounts, users, associations and QOS.
final class AccountRules {
    /// Of one request: what it did is remembered, and told to everybody.
    private static final int MOST_AFFECTED = 5_000;

    private final Tables tables;

    AccountRules(Tables tables) {
        this.tables = tables;
    }

    Result change(Command.ChangeAccounts command) {
        var expected = command.expectedRevision();
        if (expected != 0 && expected != tables.accounts.revision()) {
            return new Result.Refused(
                    ErrorCode.CHANGED_MEANWHILE,
                    "accounts were changed by somebody else meanwhile. Look again, then repeat it");
        }
        return switch (AccountsEditor.change(
                tables.accounts, command.changes(), command.actor(), new JobsOfTables())) {
            case AccountsEditor.Refused(var code, var message) -> new Result.Refused(code, message);
            case AccountsEditor.Changed changed when changed.affected().size() > MOST_AFFECTED ->
                    new Result.Refused(
                            ErrorCode.INVALID_REQUEST,
                            Text.of(
                                    "the request would change more than %d things at once. Make several of it",
                                    MOST_AFFECTED));
            case AccountsEditor.Changed changed -> {
                tables.put(changed.accounts(), command.actor(), changed.news());
                tables.usage.forget(changed.forgetUsage(), changed.forgetQosUsage());
                yield new Result.AccountsChanged(changed.affected());
            }
        };
    }

    private final class JobsOfTables implements AccountsEditor.InUse {
        @Override
        public @Nullable String jobOfAssociation(int association) {
            return tables.budgets.submitted(association) == 0
                    ? null
                    : first(charge -> charge.association() == association);
        }

        @Override
        public @Nullable String jobOfQos(int qos) {
            return tables.budgets.submittedOfQos(qos) == 0
                    ? null
                    : first(charge -> charge.qos() == qos || charge.partitionQos() == qos);
        }

        private String first(Predicate<Charge> test) {
            for (var job : tables.jobs.publish()) {
                if (!job.isEnded() && test.test(job.terms().charge())) {
                    return job.shownId();
                }
            }
            return "of an account below";
        }
    }
}
