/// `scancel`: ends jobs, array tasks and steps, or sends them a signal.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.scancel;
