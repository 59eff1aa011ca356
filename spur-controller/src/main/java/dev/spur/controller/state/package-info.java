/// Between the replicated log and the heart: what a log entry carries, how it is applied, who hears
/// of it.
///
/// Start with [dev.spur.controller.state.Proposals], which everything that changes the cluster goes
/// through, and [dev.spur.controller.state.EventFeed], which everything that reacts to changes
/// listens to or follows.
@NullMarked
package dev.spur.controller.state;

import org.jspecify.annotations.NullMarked;
