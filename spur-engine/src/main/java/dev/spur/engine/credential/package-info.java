/// Tokens and certificates that were handed out, and those that are worth nothing any more. No
/// secret is among them.
///
/// Start with [Credentials][dev.spur.engine.credential.Credentials].
@NullMarked
package dev.spur.engine.credential;

import org.jspecify.annotations.NullMarked;
