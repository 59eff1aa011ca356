package dev.spur.cli.door;

import dev.spur.cli.UserDirectory;
import dev.spur.cli.host.HostUsers;
import dev.spur.cli.tools.Tools;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.OptionalLong;

/// Where a door listens, what it serves and within which bounds.
///
/// @param onlyUser the one uid that is served, if not everybody is
public record DoorConfig(
        Path socket,
        Tools tools,
        UserDirectory users,
        InstantSource clock,
        ZoneId systemZone,
        DoorLimits limits,
        OptionalLong onlyUser) {
    /// A door with this host's users, clock and zone, and the usual bounds.
    public static DoorConfig of(Path socket, Tools tools) {
        var clock = InstantSource.system();
        return new DoorConfig(
                socket,
                tools,
                new HostUsers(clock),
                clock,
                ZoneId.systemDefault(),
                DoorLimits.DEFAULTS,
                OptionalLong.empty());
    }

    public DoorConfig with(DoorLimits other) {
        return new DoorConfig(socket, tools, users, clock, systemZone, other, onlyUser);
    }

    /// A door that nobody else can use: strangers are sent away before they have said a word.
    public DoorConfig only(long uid) {
        return new DoorConfig(
                socket, tools, users, clock, systemZone, limits, OptionalLong.of(uid));
    }

    boolean serves(long uid) {
        return onlyUser.isEmpty() || onlyUser.getAsLong() == uid;
    }
}
