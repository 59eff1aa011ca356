/// From the controller's signed word to a plan for the supervisor: is it genuine, what environment
/// and files do the tasks get.
///
/// Start here: [LaunchCheck], then [StepPlanner].
@NullMarked
package dev.spur.agent.launch;

import org.jspecify.annotations.NullMarked;
