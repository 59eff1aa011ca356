/// spurd as a process: its options.
@NullMarked
package dev.spur.agent;

import org.jspecify.annotations.NullMarked;
