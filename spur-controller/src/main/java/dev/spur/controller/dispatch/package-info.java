/// What was decided reaches the nodes: launches, ends, signals, changed limits. Everything sent can
/// be sent again; what an agent missed is sent when it is back.
///
/// Start with [dev.spur.controller.dispatch.Dispatcher].
@NullMarked
package dev.spur.controller.dispatch;

import org.jspecify.annotations.NullMarked;
