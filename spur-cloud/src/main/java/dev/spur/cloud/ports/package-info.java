/// What listens inside a session, in the browser: `SESSION--PORT.apps.localhost:8081`. Each session
/// and port is a site of its own, with a cookie of its own that a one-time link of the platform
/// gives; the platform's cookies never come here, and none of ours goes into the session.
///
/// Start here: [dev.spur.cloud.ports.PortProxy].
@NullMarked
package dev.spur.cloud.ports;

import org.jspecify.annotations.NullMarked;
