/// Options of commands, by the rules Slurm's users know from getopt: short clusters, values
/// attached or separate, unique prefixes of long names, options after operands. A command's options
/// are a table of values, so parsing, `--help`, `--usage` and the environment variables that set
/// defaults all come from one place. Start at [dev.spur.cli.options.OptionTable].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.options;
