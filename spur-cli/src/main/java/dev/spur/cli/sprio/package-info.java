/// `sprio`: the priorities of waiting jobs, and what they are made of.
@NullMarked
package dev.spur.cli.sprio;

import org.jspecify.annotations.NullMarked;
