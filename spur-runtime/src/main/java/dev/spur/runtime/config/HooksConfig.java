package dev.spur.runtime.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `[hooks]` in spur.conf: programs of the site that run at fixed moments of a job's life.
public record HooksConfig(
        @Key(notYetUsed = true) @Nullable Path prolog,
        @Key(notYetUsed = true) @Nullable Path epilog,
        @Key(notYetUsed = true) @Nullable Path taskProlog,
        @Key(notYetUsed = true) @Nullable Path taskEpilog,
        @Key(live = true, notYetUsed = true) @Nullable Path prologSlurmctld,
        @Key(live = true, notYetUsed = true) @Nullable Path epilogSlurmctld,
        @Key(live = true, notYetUsed = true) @Nullable Path jobSubmit,
        @Key(live = true, notYetUsed = true) @Nullable Path jobSubmitLua,
        @Key(live = true, notYetUsed = true) @Nullable Path srunProlog,
        @Key(live = true, notYetUsed = true) @Nullable Path srunEpilog) {

    public static final HooksConfig DEFAULTS =
            new HooksConfig(null, null, null, null, null, null, null, null, null, null);
}
