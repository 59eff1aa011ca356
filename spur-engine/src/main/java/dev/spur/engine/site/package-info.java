/// What the rules may know of the cluster they are in: its configuration, partitions and nodes.
///
/// Start with [Site][dev.spur.engine.site.Site].
@NullMarked
package dev.spur.engine.site;

import org.jspecify.annotations.NullMarked;
