/// Whether a job may enter the queue, and what exactly it then asks for: defaults filled in,
/// notations read, limits checked. The controller asks before it proposes, to keep nonsense out of
/// the log; `apply` asks again, and its answer counts.
///
/// Start with [Admission][dev.spur.engine.admission.Admission].
@NullMarked
package dev.spur.engine.admission;

import org.jspecify.annotations.NullMarked;
