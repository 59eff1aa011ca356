/// The steps of this node: started through the supervisor, watched, reported until acknowledged.
///
/// Start here: [NodeSteps] decides; [StepLauncher] is what it needs from the machine, with
/// [SupervisorLauncher] over the C supervisor (`native/step/README.md` has its frames) and whatever
/// a simulation puts in its place.
@NullMarked
package dev.spur.agent.step;

import org.jspecify.annotations.NullMarked;
