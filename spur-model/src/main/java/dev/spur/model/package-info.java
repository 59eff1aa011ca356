/// The vocabulary of a cluster: what a job asks for ([JobSpec][dev.spur.model.JobSpec]), what it
/// gets ([Placement][dev.spur.model.Placement]), what a node is
/// ([NodeShape][dev.spur.model.NodeShape]) and the words and numbers that Slurm's users know
/// ([JobState][dev.spur.model.JobState], [PendingReason][dev.spur.model.PendingReason],
/// [ErrorCode][dev.spur.model.ErrorCode]).
///
/// Values only: no clock, no input or output, no threads. Start with `JobSpec`.
@NullMarked
package dev.spur.model;

import org.jspecify.annotations.NullMarked;
