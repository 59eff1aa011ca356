/// When nodes did not serve.
@NullMarked
package dev.spur.accounting.node;

import org.jspecify.annotations.NullMarked;
