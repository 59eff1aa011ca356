/// How busy this controller is: what sdiag shows.
///
/// Start with [StatisticsService][dev.spur.controller.statistics.StatisticsService].
@NullMarked
package dev.spur.controller.statistics;

import org.jspecify.annotations.NullMarked;
