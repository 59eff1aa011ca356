/// Who may reach what a job does on its nodes: the controller says so, the nodes do it, and nothing
/// of it passes through here.
///
/// Start here: [dev.spur.controller.reach.OutputReach].
@NullMarked
package dev.spur.controller.reach;

import org.jspecify.annotations.NullMarked;
