/// Amounts of what can be counted, limited and billed, by number: `cpu` is 1, `mem` 2, and each
/// kind of device gets a number when the first node has it. The names that people read are in
/// [Tres][dev.spur.model.Tres].
///
/// Start with [TresRegistry][dev.spur.engine.tres.TresRegistry].
@NullMarked
package dev.spur.engine.tres;

import org.jspecify.annotations.NullMarked;
