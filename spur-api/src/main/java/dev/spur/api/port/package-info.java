/// What the daemons' ports have in common: who is connected, and how many may be. Start at
/// [Connections].
@NullMarked
package dev.spur.api.port;

import org.jspecify.annotations.NullMarked;
