/// The whole of Spur on one machine: `./spur up`. Start at [LocalCluster]; [Layout] says what is
/// where.
@NullMarked
package dev.spur.dist;

import org.jspecify.annotations.NullMarked;
