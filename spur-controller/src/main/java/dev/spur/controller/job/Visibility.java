package dev.spur.controller.job;

import dev.spur.controller.access.Caller;
import dev.spur.engine.account.Accounts;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobRights;
import dev.spur.model.JobVisibility;
import dev.spur.model.Role;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a caller sees of whose jobs (`controller.job_info_visibility`). The only place that decides
/// it.
public final class Visibility {
    private final Supplier<@Nullable JobVisibility> setting;
    private final Supplier<Accounts> accounts;

    public Visibility(Supplier<@Nullable JobVisibility> setting, Supplier<Accounts> accounts) {
        this.setting = setting;
        this.accounts = accounts;
    }

    public enum Sight {
        ALL,
        /// Where it runs and how big it is, but not what it is.
        OUTLINE,
        NOTHING
    }

    /// Whether there is nobody's job that this caller does not see.
    public boolean seesAll(Caller.Person caller) {
        return caller.isAtLeast(Role.OPERATOR) || setting.get() != JobVisibility.OWNER_ONLY;
    }

    public Sight of(Job job, Caller.Person caller) {
        if (JobRights.mayManage(caller.actor(), job, accounts.get())) {
            return Sight.ALL;
        }
        return switch (setting.get()) {
            case FULL -> Sight.ALL;
            case null -> Sight.OUTLINE;
            case REDACTED -> Sight.OUTLINE;
            case OWNER_ONLY -> Sight.NOTHING;
        };
    }
}
