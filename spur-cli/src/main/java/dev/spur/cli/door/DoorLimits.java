package dev.spur.cli.door;

import java.time.Duration;

/// What callers may take of the door, so that none can harm it or another user.
///
/// @param commandsPerUser commands of one uid at the same time
/// @param commands commands of all at the same time
/// @param bytesPerUser arguments and environments held for one uid
/// @param bytes arguments and environments held for all
/// @param greeting how long a caller may take to say what it wants
/// @param command how long a command may take that has not said it takes long, not counting the
///   time its caller takes to read
public record DoorLimits(
        int commandsPerUser,
        int commands,
        long bytesPerUser,
        long bytes,
        Duration greeting,
        Duration command) {
    public static final DoorLimits DEFAULTS =
            new DoorLimits(
                    512,
                    4096,
                    32L << 20,
                    128L << 20,
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(5));

    public DoorLimits {
        if (commandsPerUser < 1 || commands < 1 || bytesPerUser < 1 || bytes < 1) {
            throw new IllegalArgumentException("the door's limits must be at least 1");
        }
    }
}
