/// Being a daemon: flags, detaching, the pid file, stopping in order.
///
/// Start here: {@link dev.spur.runtime.process.Daemon}, which a `main` hands its flags and a way to
/// start.
@NullMarked
package dev.spur.runtime.process;

import org.jspecify.annotations.NullMarked;
