/// HTTP APIs: a table of endpoints from which requests are routed and the OpenAPI document is made,
/// JSON of records, problem documents, bounds. What a daemon's callers are and may do is the
/// daemon's own ({@link Gate}).
///
/// Start with {@link Endpoint}; {@link HttpPort} serves a {@link Router}.
@NullMarked
package dev.spur.runtime.http;

import org.jspecify.annotations.NullMarked;
