/// This host and others by name: addresses, users and groups, host name and boot id.
///
/// Start here: {@link dev.spur.runtime.host.HostAndPort} for addresses as people write them, {@link
/// dev.spur.runtime.host.Users} for who a numeric uid is.
@NullMarked
package dev.spur.runtime.host;

import org.jspecify.annotations.NullMarked;
