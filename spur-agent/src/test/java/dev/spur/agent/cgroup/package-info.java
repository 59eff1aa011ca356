/// Limits by real control groups.
@NullMarked
package dev.spur.agent.cgroup;

import org.jspecify.annotations.NullMarked;
