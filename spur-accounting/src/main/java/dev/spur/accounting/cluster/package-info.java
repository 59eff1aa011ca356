/// The clusters that are known here, what they have and how far their records are stored.
@NullMarked
package dev.spur.accounting.cluster;

import org.jspecify.annotations.NullMarked;
