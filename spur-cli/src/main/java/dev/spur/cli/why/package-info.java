/// `spur why`: why a job waits, and what would start it sooner.
@NullMarked
package dev.spur.cli.why;

import org.jspecify.annotations.NullMarked;
