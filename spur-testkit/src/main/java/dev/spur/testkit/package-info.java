/// The test bench. `real` runs the distribution in real processes and talks to it as users do;
/// `simulated` runs the same controller and agent logic in one thread, in simulated time.
@NullMarked
package dev.spur.testkit;

import org.jspecify.annotations.NullMarked;
