/// All commands by name, and which of them a program name and its first argument mean. Start at
/// [dev.spur.cli.tools.Tools].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.tools;
