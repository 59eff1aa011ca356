/// Nodes as callers meet them: `sinfo`, `scontrol show node`, `scontrol update node`.
@NullMarked
package dev.spur.controller.node;

import org.jspecify.annotations.NullMarked;
