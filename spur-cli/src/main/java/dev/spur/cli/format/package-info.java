/// Columns of text as Slurm's commands print them: `-o "%.18i %j"` and `-O JobID:12,Name`. A
/// command states its fields as a table of values ([dev.spur.cli.format.FieldTable]); a
/// [dev.spur.cli.format.Layout] is what the user asked for, ready to print any number of rows into
/// one buffer. Start at [dev.spur.cli.format.Layout].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.format;
