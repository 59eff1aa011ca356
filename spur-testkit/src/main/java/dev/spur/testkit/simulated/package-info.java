/// A whole cluster in one thread, in simulated time, from one seed: the controller and the agents
/// are the real ones; time, threads, disk, network and machines are simulated. What happened with a
/// seed happens again with it.
///
/// Start here: [dev.spur.testkit.simulated.SimulatedCluster].
@NullMarked
package dev.spur.testkit.simulated;

import org.jspecify.annotations.NullMarked;
