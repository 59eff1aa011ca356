/// The cluster's agreed history. A proposal is written to disk on a majority of controllers, then
/// applied to the replica, then answered; nothing is answered earlier.
///
/// Start with [dev.spur.controller.raft.ReplicatedLog], three methods;
/// [dev.spur.controller.raft.RatisLog] is the real one, [dev.spur.controller.raft.InMemoryLog] the
/// one of the simulated cluster.
@NullMarked
package dev.spur.controller.raft;

import org.jspecify.annotations.NullMarked;
