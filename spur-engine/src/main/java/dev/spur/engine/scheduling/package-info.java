/// Scheduling is a function: a snapshot in, decisions out. The shell turns the decisions into
/// commands, and `apply` checks them again, so a stale plan costs a retry and never correctness.
///
/// Start with `BackfillPass`.
@NullMarked
package dev.spur.engine.scheduling;

import org.jspecify.annotations.NullMarked;
