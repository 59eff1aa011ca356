/// What a job asks for, and what of it fits where. Admission asks about empty nodes, the scheduler
/// about nodes at some time; both get their answers here.
///
/// Start with [Demand][dev.spur.engine.demand.Demand], then
/// [TaskRoom][dev.spur.engine.demand.TaskRoom].
@NullMarked
package dev.spur.engine.demand;

import org.jspecify.annotations.NullMarked;
