/// What was decided reaches the nodes: launches, ends, changed limits, suspensions. All of it is
/// derived from the state, so that it can be said again to whoever missed it.
///
/// Start with [dev.spur.controller.dispatch.Orders]; [dev.spur.controller.dispatch.Dispatcher]
/// tells them.
@NullMarked
package dev.spur.controller.dispatch;

import org.jspecify.annotations.NullMarked;
