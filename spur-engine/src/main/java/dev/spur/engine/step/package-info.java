/// Steps of running jobs: what was asked for, what they have, and how they ended.
///
/// Start with [Step][dev.spur.engine.step.Step].
@NullMarked
package dev.spur.engine.step;

import org.jspecify.annotations.NullMarked;
