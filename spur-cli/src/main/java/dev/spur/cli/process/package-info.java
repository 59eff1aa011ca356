/// Commands in a process of their own, where no door listens.
/// [dev.spur.cli.process.ProcessInvocation] is the JVM's own process seen as an
/// [dev.spur.cli.Invocation]; [dev.spur.cli.process.Main] starts it. This package and the door are
/// the only ones in the command line that touch process globals.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.process;
