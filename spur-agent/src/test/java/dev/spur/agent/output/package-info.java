@NullMarked
package dev.spur.agent.output;

import org.jspecify.annotations.NullMarked;
