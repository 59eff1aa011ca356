/// Whether there is a newer release. The service never replaces itself: whoever runs it is told.
///
/// Start with {@link UpdateCheck}.
@NullMarked
package dev.spur.cloud.update;

import org.jspecify.annotations.NullMarked;
