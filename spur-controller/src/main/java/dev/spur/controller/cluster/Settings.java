package dev.spur.controller.cluster;

import dev.spur.model.ClusterConfig;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.identity.Roles;
import java.nio.file.Path;
import java.util.function.Supplier;

/// The configuration of this process as it is now: what was read at the start, and what a reload
/// changed since.
public final class Settings {
    private final Path file;
    private final Supplier<ConfigFile> source;
    private final long clusterUid;
    private volatile SpurConfig current;

    /// @param file where it is read from
    /// @param source reads the file again
    /// @param clusterUid as whom the daemons run
    public Settings(SpurConfig initial, Path file, Supplier<ConfigFile> source, long clusterUid) {
        this.file = file;
        this.source = source;
        this.clusterUid = clusterUid;
        this.current = initial;
    }

    public SpurConfig current() {
        return current;
    }

    Path file() {
        return file;
    }

    long clusterUid() {
        return clusterUid;
    }

    /// Who has which role, as the controllers have agreed: a controller that takes over obeys the
    /// same administrators, whatever its file says.
    public Roles roles(ClusterConfig agreed) {
        return new Roles(agreed.admins(), agreed.operators(), clusterUid);
    }

    public boolean servesEverybody() {
        return roles(ClusterConfig.EMPTY).servesEverybody();
    }

    /// As the file has it now; not yet in force.
    SpurConfig read() {
        return source.get().config();
    }

    void apply(SpurConfig newer) {
        current = newer;
    }
}
