package dev.spur.controller.cluster;

import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.identity.Roles;
import java.util.function.Supplier;

/// The configuration of this process as it is now: what was read at the start, and what a reload
/// changed since.
public final class Settings {
    private final Supplier<ConfigFile> source;
    private final long clusterUid;
    private volatile SpurConfig current;
    private volatile Roles roles;

    /// @param source reads the file again
    /// @param clusterUid as whom the daemons run
    public Settings(SpurConfig initial, Supplier<ConfigFile> source, long clusterUid) {
        this.source = source;
        this.clusterUid = clusterUid;
        this.current = initial;
        this.roles = rolesOf(initial);
    }

    public SpurConfig current() {
        return current;
    }

    public Roles roles() {
        return roles;
    }

    public boolean servesEverybody() {
        return roles.servesEverybody();
    }

    /// As the file has it now; not yet in force.
    SpurConfig read() {
        return source.get().config();
    }

    void apply(SpurConfig newer) {
        current = newer;
        roles = rolesOf(newer);
    }

    private Roles rolesOf(SpurConfig config) {
        return new Roles(config.auth().admins(), config.auth().operators(), clusterUid);
    }
}
