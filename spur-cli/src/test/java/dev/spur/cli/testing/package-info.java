/// What tests of the commands share: the cluster on which Slurm's output was recorded, and the
/// recordings.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.testing;
