/// Bytes of commands and of the whole state, readable by every later release.
///
/// A record is written as a mask that tells which of its components follow, then those components
/// in the order of their declaration. Components with their type's empty value (null where allowed,
/// 0, false, an empty text, list, map or set) do not follow, and neither do those that the writer
/// did not know: a component may therefore be appended to a record at any time, and old bytes give
/// it its empty value. Nothing else may happen to a released record: no reordering, no removal, no
/// other type, no [org.jspecify.annotations.Nullable] more or less. Members of sealed families go
/// by the numbers in `Tags`, constants of enums by their names.
///
/// Start with [CommandCodec][dev.spur.engine.codec.CommandCodec], then `Formats` and
/// `RecordFormat`, which say what is written. What runs is `CompiledFormat`, which the build makes
/// of them.
@NullMarked
package dev.spur.engine.codec;

import org.jspecify.annotations.NullMarked;
