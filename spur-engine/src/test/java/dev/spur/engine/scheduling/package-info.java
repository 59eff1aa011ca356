/// Scheduling specified: on small clusters by hand, on random ones against a slow and simple check.
@NullMarked
package dev.spur.engine.scheduling;

import org.jspecify.annotations.NullMarked;
