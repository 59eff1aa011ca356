/// The replicated state of a cluster: what can be asked of it
/// ([Command][dev.spur.engine.state.Command]), what the asker is told
/// ([Result][dev.spur.engine.state.Result]), what everybody else is told
/// ([Event][dev.spur.engine.state.Event]) and what readers see
/// ([Snapshot][dev.spur.engine.state.Snapshot]).
///
/// Start with [ClusterState][dev.spur.engine.state.ClusterState].
@NullMarked
package dev.spur.engine.state;

import org.jspecify.annotations.NullMarked;
