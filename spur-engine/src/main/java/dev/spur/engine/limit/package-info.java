/// What is in use under the limits of associations and QOS, and whether another job may start or
/// enter beside it: one check, for the scheduler's plan and for the state that takes its starts.
///
/// Start with [LimitRules][dev.spur.engine.limit.LimitRules].
@NullMarked
package dev.spur.engine.limit;

import org.jspecify.annotations.NullMarked;
