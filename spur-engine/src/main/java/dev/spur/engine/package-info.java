/// The pure heart: commands are folded into a [ClusterState][dev.spur.engine.rules.ClusterState],
/// and the scheduler turns a snapshot of it into decisions. Values in, values out: no clock, no
/// input or output, no threads, no randomness, so every replica and every replay arrives at the
/// same state.
///
/// Start with [Command][dev.spur.engine.state.Command] and `ClusterState.apply`.
@NullMarked
package dev.spur.engine;

import org.jspecify.annotations.NullMarked;
