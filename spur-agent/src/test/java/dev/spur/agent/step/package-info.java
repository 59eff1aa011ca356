/// The step supervisor as it really runs, driven from Java, and what the agent makes of it.
@NullMarked
package dev.spur.agent.step;

import org.jspecify.annotations.NullMarked;
