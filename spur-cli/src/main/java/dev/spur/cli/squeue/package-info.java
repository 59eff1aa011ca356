/// `squeue`: jobs and steps that wait, run or ended a short while ago. [dev.spur.cli.squeue.Squeue]
/// asks and prints, [dev.spur.cli.squeue.JobFields] is the table of what can be shown of a job,
/// [dev.spur.cli.squeue.JobOrder] the table of what a listing can be sorted by.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.squeue;
