/// Which task of a step goes to which node, and which CPUs, memory and devices of the job's nodes a
/// step gets. Pure functions. Start with [StepAllocator][dev.spur.engine.layout.StepAllocator].
@NullMarked
package dev.spur.engine.layout;

import org.jspecify.annotations.NullMarked;
