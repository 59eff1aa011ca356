/// `spur cluster`: the controllers and how they are. Start here:
/// [Survey][dev.spur.cli.cluster.Survey].
@NullMarked
package dev.spur.cli.cluster;

import org.jspecify.annotations.NullMarked;
