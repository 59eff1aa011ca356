/// The local door: a Unix socket behind which the commands run warm, as whoever the kernel says the
/// caller is. The other end is the C program in `native/spur`; `native/spur/protocol.h` describes
/// the frames. Start at [dev.spur.cli.door.DoorServer], then [dev.spur.cli.door.Session]: one
/// connection.
///
/// The JDK's socket channels hide the descriptor that SO_PEERCRED needs, so this package makes its
/// own: [dev.spur.cli.door.UnixSocket] over libc, parked by [dev.spur.cli.door.Poller].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.door;
