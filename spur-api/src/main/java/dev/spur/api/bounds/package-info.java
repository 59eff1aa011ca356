/// How large a request and each of its parts may be, and which characters a text may have. Whoever
/// serves requests checks them here before anything else reads them.
///
/// Start with [dev.spur.api.bounds.RequestBounds].
@NullMarked
package dev.spur.api.bounds;

import org.jspecify.annotations.NullMarked;
