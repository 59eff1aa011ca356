/// Steps for srun: the door that runs it calls every node's step service, hands over the signed
/// launch and then exchanges input, output, signals and the exit of each task on one stream.
///
/// Start here: [StepStreams] is the service, [StepCall] one call of it.
@NullMarked
package dev.spur.agent.io;

import org.jspecify.annotations.NullMarked;
