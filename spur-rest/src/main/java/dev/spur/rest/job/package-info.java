/// Jobs and reservations as clients of both APIs describe them: the members of Slurm's
/// `job_desc_msg` and of its description of a reservation.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.job;
