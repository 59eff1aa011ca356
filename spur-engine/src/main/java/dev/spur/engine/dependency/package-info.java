/// What a job waits for of other jobs, as it stands in the state.
///
/// Start with [Dependency][dev.spur.engine.dependency.Dependency].
@NullMarked
package dev.spur.engine.dependency;

import org.jspecify.annotations.NullMarked;
