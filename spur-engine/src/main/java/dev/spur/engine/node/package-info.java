/// Nodes: what they have, what of it is given to jobs, whether they answer and may be used.
///
/// Start with [Node][dev.spur.engine.node.Node].
@NullMarked
package dev.spur.engine.node;

import org.jspecify.annotations.NullMarked;
