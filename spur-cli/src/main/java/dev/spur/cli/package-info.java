/// `spur` and all of Slurm's command names. Each command is a [dev.spur.cli.Tool]: a function of an
/// [dev.spur.cli.Invocation], which is everything it may know of the process that called it. The
/// same tools run warm behind the door ([dev.spur.cli.door]) and in a process of their own
/// ([dev.spur.cli.process.Main]); so they use no process globals. Start at
/// [dev.spur.cli.tools.Tools].
@org.jspecify.annotations.NullMarked
package dev.spur.cli;
