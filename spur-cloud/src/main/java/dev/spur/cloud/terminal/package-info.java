/// Shells in the browser: `GET /api/sessions/{id}/terminal`, a WebSocket. A shell is a step of the
/// session's job that keeps what it printed last, so that it outlives its viewers and this daemon;
/// each viewer is a connection of its own.
///
/// Start here: [dev.spur.cloud.terminal.TerminalSocket].
@NullMarked
package dev.spur.cloud.terminal;

import org.jspecify.annotations.NullMarked;
