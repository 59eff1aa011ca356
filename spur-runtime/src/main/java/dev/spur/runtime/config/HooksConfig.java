package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[hooks]` in spur.conf: programs of the site that run at fixed moments of a job's life.
public record HooksConfig(
        @Means("Run on each node before a job") @Key(notYetUsed = true) @Nullable Path prolog,
        @Means("Run on each node after a job") @Key(notYetUsed = true) @Nullable Path epilog,
        @Means("Run before each task, as the user") @Key(notYetUsed = true)
                @Nullable Path taskProlog,
        @Means("Run after each task, as the user") @Key(notYetUsed = true)
                @Nullable Path taskEpilog,
        @Means("Run by the controller before a job") @Key(live = true, notYetUsed = true)
                @Nullable Path prologSlurmctld,
        @Means("Run by the controller after a job") @Key(live = true, notYetUsed = true)
                @Nullable Path epilogSlurmctld,
        @Means("Asked about each submission") @Key(live = true, notYetUsed = true)
                @Nullable Path jobSubmit,
        @Means("A Lua script asked about each submission") @Key(live = true, notYetUsed = true)
                @Nullable Path jobSubmitLua,
        @Means("Run by srun before a step") @Key(live = true, notYetUsed = true)
                @Nullable Path srunProlog,
        @Means("Run by srun after a step") @Key(live = true, notYetUsed = true)
                @Nullable Path srunEpilog) {

    public static final HooksConfig DEFAULTS =
            new HooksConfig(null, null, null, null, null, null, null, null, null, null);
}
