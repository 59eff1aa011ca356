/// Reaching what a job does on its nodes, for everything that shows it to people: commands, REST,
/// the cloud. The controller says who may, the bytes come from the agents.
///
/// Start here: [dev.spur.api.reach.OutputClient].
@NullMarked
package dev.spur.api.reach;

import org.jspecify.annotations.NullMarked;
