package dev.spur.cli.door;

import java.time.Duration;

/// What callers may take of the door, so that none can harm it or another user.
///
/// @param commandsPerUser commands of one uid at the same time
/// @param commands commands of all at the same time
/// @param bytesPerUser memory that the commands of one uid may hold by what their callers sent, as
///   [Cost] reckons it
/// @param bytes the same for all users together
/// @param answersPerUser memory for what the commands of one uid were answered; the oldest of them
///   has what it needs
/// @param answers the same for all users together
/// @param answer how long a command waits for that memory
/// @param greeting how long a caller may take to say what it wants
/// @param command how long a command may take that has not said it takes long, not counting the
///   time its caller takes to read or to type
public record DoorLimits(
        int commandsPerUser,
        int commands,
        long bytesPerUser,
        long bytes,
        long answersPerUser,
        long answers,
        Duration answer,
        Duration greeting,
        Duration command) {
    public static final DoorLimits DEFAULTS =
            new DoorLimits(
                    512,
                    4096,
                    48L << 20,
                    128L << 20,
                    64L << 20,
                    192L << 20,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(5));

    public DoorLimits {
        if (commandsPerUser < 1 || commands < 1 || bytesPerUser < 1 || bytes < 1) {
            throw new IllegalArgumentException("the door's limits must be at least 1");
        }
    }
}
