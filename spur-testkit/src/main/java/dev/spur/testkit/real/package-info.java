/// A cluster of real processes. Start here: [RealCluster].
@NullMarked
package dev.spur.testkit.real;

import org.jspecify.annotations.NullMarked;
