/// Runs one specification by its name, without Maven: `dev/simulate --planted` does so for each bug
/// it plants. Start at [NamedTest].
@NullMarked
package dev.spur.testkit.planted;

import org.jspecify.annotations.NullMarked;
