/// `sbatch`: a script becomes a job. [dev.spur.cli.sbatch.Sbatch] reads top to bottom;
/// [dev.spur.cli.sbatch.BatchScript] is where the script comes from and what is wrong with it,
/// [dev.spur.cli.sbatch.ScriptDirectives] are the options written in it.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.sbatch;
