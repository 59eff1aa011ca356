package dev.spur.cloud.ssh;

import java.time.Duration;

/// What one person, and what strangers may cost.
///
/// @param strangers connections at a time that have not proved who they are
/// @param strangersOfOneAddress of these
/// @param ofOnePerson connections at a time
/// @param channels of one connection at a time: shells, commands, forwards
/// @param toProve how long proving who one is may take
/// @param tries keys that a connection may show
/// @param aliveEvery how often a silent client is asked whether it is still there
/// @param idle after which a connection is closed on which nothing happens; zero: never
public record SshLimits(
        int strangers,
        int strangersOfOneAddress,
        int ofOnePerson,
        int channels,
        Duration toProve,
        int tries,
        Duration aliveEvery,
        Duration idle) {
    public static final SshLimits USUAL =
            new SshLimits(
                    200,
                    50,
                    50,
                    200,
                    Duration.ofSeconds(30),
                    12,
                    Duration.ofSeconds(30),
                    Duration.ZERO);
}
