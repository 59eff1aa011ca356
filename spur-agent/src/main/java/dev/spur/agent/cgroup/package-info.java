/// Limits on what a step may use, by Linux control groups.
///
/// Start here: [CgroupDriver] is what the rest of the agent knows; [Cgroups#detect] chooses between
/// version 2, version 1 and none by trying.
@NullMarked
package dev.spur.agent.cgroup;

import org.jspecify.annotations.NullMarked;
