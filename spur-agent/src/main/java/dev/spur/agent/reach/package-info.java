/// Who may come from elsewhere to what a job does here.
///
/// Start here: [dev.spur.agent.reach.ReachCheck].
@NullMarked
package dev.spur.agent.reach;

import org.jspecify.annotations.NullMarked;
