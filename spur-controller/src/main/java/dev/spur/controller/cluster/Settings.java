package dev.spur.controller.cluster;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Role;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.config.SpurConfig;
import dev.spur.runtime.identity.Roles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    public Roles roles(Snapshot agreed) {
        return new Roles(
                named(agreed.config().admins(), agreed.accounts(), Role.ADMIN),
                named(agreed.config().operators(), agreed.accounts(), Role.OPERATOR),
                clusterUid);
    }

    /// Those of the configuration, and those whom accounting gives this level.
    private static List<String> named(List<String> configured, Accounts accounts, Role level) {
        var names = new ArrayList<>(configured);
        names.addAll(accounts.usersOf(level));
        return names;
    }

    public boolean servesEverybody() {
        return new Roles(List.of(), List.of(), clusterUid).servesEverybody();
    }

    /// As the file has it now; not yet in force.
    SpurConfig read() {
        return source.get().config();
    }

    void apply(SpurConfig newer) {
        current = newer;
    }
}
