/// The cluster's own API, `/api/v1`, for people of the cloud: each request goes on to spurrestd
/// with a short token of whoever is signed in, and nothing else of theirs. What people may do there
/// is decided by the controller, as for everybody.
///
/// Start with {@link Carrier}.
@NullMarked
package dev.spur.cloud.carry;

import org.jspecify.annotations.NullMarked;
