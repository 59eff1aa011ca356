/// Why a job waits, and what would start it sooner: asked of a snapshot, answered by trying.
///
/// Start with [dev.spur.engine.explanation.Explainer].
@NullMarked
package dev.spur.engine.explanation;

import org.jspecify.annotations.NullMarked;
