/// The cluster as a whole: who serves it, how it is configured, and applying a changed
/// configuration.
@NullMarked
package dev.spur.controller.cluster;

import org.jspecify.annotations.NullMarked;
