/// Spur Cloud's API: people who launch sessions with GPUs, what they used and what it costs.
///
/// Start with {@link dev.spur.cloud.Cloud}.
@NullMarked
package dev.spur.cloud;

import org.jspecify.annotations.NullMarked;
