/// Who is who: hosts by certificate, people by token, launches by credential.
///
/// Start here: {@link dev.spur.runtime.identity.ClusterCa} is the root of all trust and exists on
/// controllers only; a host gets its {@link dev.spur.runtime.identity.HostIdentity} from it by a
/// {@link dev.spur.runtime.identity.JoinToken}; remote people bring {@link
/// dev.spur.runtime.identity.Tokens}; {@link dev.spur.runtime.identity.Roles} says what a caller
/// may be. Keys are in files that only their owner can read, and in no log.
@NullMarked
package dev.spur.runtime.identity;

import org.jspecify.annotations.NullMarked;
