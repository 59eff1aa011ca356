/// Partitions as callers meet them.
@NullMarked
package dev.spur.controller.partition;

import org.jspecify.annotations.NullMarked;
