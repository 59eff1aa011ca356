/// `salloc`: an allocation for as long as a command runs.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.salloc;
