/// How well jobs used what they had: `seff` as Slurm's users know it, and `spur efficiency`, which
/// also says what to ask for next time.
///
/// Start with [JobEfficiency][dev.spur.cli.efficiency.JobEfficiency].
@NullMarked
package dev.spur.cli.efficiency;

import org.jspecify.annotations.NullMarked;
