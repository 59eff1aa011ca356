/// The Spur cluster below the cloud: who a person is on its nodes, and clients that ask the
/// controllers in each person's own name. Start with {@link dev.spur.cloud.cluster.ClusterClients}.
@NullMarked
package dev.spur.cloud.cluster;

import org.jspecify.annotations.NullMarked;
