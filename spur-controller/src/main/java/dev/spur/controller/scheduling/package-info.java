/// While leading: decides what starts, the moment something changed, and lets time pass.
///
/// Start with [dev.spur.controller.scheduling.SchedulingLoop].
@NullMarked
package dev.spur.controller.scheduling;

import org.jspecify.annotations.NullMarked;
