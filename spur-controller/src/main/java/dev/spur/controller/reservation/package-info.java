/// Reservations as callers meet them: `scontrol create, update, delete` and `show reservation`,
/// `sinfo -T`.
@NullMarked
package dev.spur.controller.reservation;

import org.jspecify.annotations.NullMarked;
