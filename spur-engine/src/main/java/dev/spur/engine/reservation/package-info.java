/// Nodes kept for some users at some time. Who may use them is decided here, when they are closed
/// to others too; what becomes of jobs is in `rules` and `scheduling`.
///
/// Start with [Reservation][dev.spur.engine.reservation.Reservation].
@NullMarked
package dev.spur.engine.reservation;

import org.jspecify.annotations.NullMarked;
