/// Reservations as they were.
@NullMarked
package dev.spur.accounting.reservation;

import org.jspecify.annotations.NullMarked;
