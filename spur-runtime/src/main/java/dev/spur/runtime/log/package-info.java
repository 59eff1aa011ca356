/// Logging, set up by code: one line an event, key-values as `key=value`, times in UTC.
///
/// Start here: {@link dev.spur.runtime.log.Logging}. Until it is called, only warnings appear, on
/// standard error.
@NullMarked
package dev.spur.runtime.log;

import org.jspecify.annotations.NullMarked;
