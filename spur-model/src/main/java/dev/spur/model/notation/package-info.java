/// Slurm's notations as values: what people write after `--time`, `--mem`, `--gres`, `--array`,
/// `--dependency`, `--signal` or `--begin`, and how the commands print it again.
///
/// Every type has a `parse` that accepts what Slurm accepts and otherwise throws a
/// [NotationException][dev.spur.model.notation.NotationException] that says what would have been
/// accepted. Start with [TimeLimit][dev.spur.model.notation.TimeLimit].
@NullMarked
package dev.spur.model.notation;

import org.jspecify.annotations.NullMarked;
