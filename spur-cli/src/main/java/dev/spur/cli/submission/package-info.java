/// What `sbatch`, `salloc` and `srun` share: the options that describe a job, how they become the
/// [dev.spur.api.v1.JobSpec] that the controller takes, which part of the environment travels
/// along, and Slurm's words for what the controller refuses. Start at
/// [dev.spur.cli.submission.JobOptions] and [dev.spur.cli.submission.JobDescription].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.submission;
