/// One stream of changes per consumer: of jobs, nodes, partitions and the plan, at that one's pace.
///
/// Start with [dev.spur.controller.watch.Watches].
@NullMarked
package dev.spur.controller.watch;

import org.jspecify.annotations.NullMarked;
