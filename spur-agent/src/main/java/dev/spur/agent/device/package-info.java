/// What the node has beside processors and memory: GPUs and whatever a site counts.
@NullMarked
package dev.spur.agent.device;

import org.jspecify.annotations.NullMarked;
