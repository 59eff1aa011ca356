/// Jobs as clients of both APIs describe them: the members of Slurm's `job_desc_msg`.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.job;
