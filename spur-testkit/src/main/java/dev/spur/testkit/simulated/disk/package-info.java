/// A disk that exists in memory and forgets what disks may forget: what was written and not forced
/// is lost or torn when the power goes, names that were not forced too; it may be full, and its
/// fsync may fail. The code under test uses it through [java.nio.file.Path] as any other.
///
/// Start here: [dev.spur.testkit.simulated.disk.SimulatedDisk].
@NullMarked
package dev.spur.testkit.simulated.disk;

import org.jspecify.annotations.NullMarked;
