package dev.spur.cli.door;

import dev.spur.cli.Tools;
import dev.spur.cli.UserDirectory;
import dev.spur.cli.host.HostUsers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;

/// Where a door listens, what it serves and within which bounds.
public record DoorConfig(
        Path socket,
        Tools tools,
        UserDirectory users,
        InstantSource clock,
        ZoneId systemZone,
        DoorLimits limits) {
    /// A door with this host's users, clock and zone, and the usual bounds.
    public static DoorConfig of(Path socket, Tools tools) {
        var clock = InstantSource.system();
        return new DoorConfig(
                socket,
                tools,
                new HostUsers(clock),
                clock,
                ZoneId.systemDefault(),
                DoorLimits.DEFAULTS);
    }

    public DoorConfig with(DoorLimits other) {
        return new DoorConfig(socket, tools, users, clock, systemZone, other);
    }
}
