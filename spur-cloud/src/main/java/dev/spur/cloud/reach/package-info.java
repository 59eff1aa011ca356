/// Running programs inside sessions, and opening connections from there. The terminal, SSH and the
/// sessions' HTTP ports are made of these.
///
/// ```
///  SSH, ports ──▶ Programs ──▶ RunningProgram      a step of the session's job
///       │                          ▲
///       └───────▶ Relay ───────────┘  spur-relay: many connections over one program's streams
/// ```
///
/// Start here: [dev.spur.cloud.reach.Programs].
@NullMarked
package dev.spur.cloud.reach;

import org.jspecify.annotations.NullMarked;
