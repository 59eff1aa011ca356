/// What goes into the replicated state and what comes out of it: what can be asked
/// ([Command][dev.spur.engine.state.Command]), what the asker is told
/// ([Result][dev.spur.engine.state.Result]), what everybody else is told
/// ([Event][dev.spur.engine.state.Event]) and what readers see
/// ([Snapshot][dev.spur.engine.state.Snapshot]). What commands do is in `rules`.
///
/// Start with [Command][dev.spur.engine.state.Command].
@NullMarked
package dev.spur.engine.state;

import org.jspecify.annotations.NullMarked;
