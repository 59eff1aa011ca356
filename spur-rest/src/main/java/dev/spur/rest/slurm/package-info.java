/// Slurm's REST API, in four versions of one shape. Start at
/// [SlurmApi][dev.spur.rest.slurm.SlurmApi]: which operation is answered by whom.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.slurm;
