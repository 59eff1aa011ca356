/// `spur cloud`: sessions of the GPU cloud, by its API.
///
/// It runs in its caller's own process, never behind the door: it opens connections to an address
/// that the caller names, and what it may read and write is the caller's. Only `link`, by which
/// somebody proves who they are on this host, goes by the door, which knows it. Start with {@link
/// CloudTool}; {@link CloudAtDoor} is what is left for the door.
@NullMarked
package dev.spur.cli.cloud;

import org.jspecify.annotations.NullMarked;
