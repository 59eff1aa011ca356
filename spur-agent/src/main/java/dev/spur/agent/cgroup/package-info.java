/// Limits on what a step may use, by Linux control groups.
///
/// Start here: [Cgroups#detect] chooses between version 2, version 1 and none by trying; the rest
/// of the agent knows them as a [CgroupDriver][dev.spur.agent.step.CgroupDriver].
@NullMarked
package dev.spur.agent.cgroup;

import org.jspecify.annotations.NullMarked;
