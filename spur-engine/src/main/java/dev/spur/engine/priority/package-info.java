/// Who comes first: a job's priority, computed from what is known of it whenever somebody asks. The
/// state holds only what it is computed from ([Standing][dev.spur.engine.job.Standing]).
///
/// Start with [PriorityPolicy][dev.spur.engine.priority.PriorityPolicy].
@NullMarked
package dev.spur.engine.priority;

import org.jspecify.annotations.NullMarked;
