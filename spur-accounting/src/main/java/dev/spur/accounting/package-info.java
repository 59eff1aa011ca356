/// spurdbd: what jobs used, who may use how much.
///
/// Start here: {@link dev.spur.accounting.Spurdbd} reads flags and spur.conf, {@link
/// dev.spur.accounting.Accounting} is the daemon.
@NullMarked
package dev.spur.accounting;

import org.jspecify.annotations.NullMarked;
