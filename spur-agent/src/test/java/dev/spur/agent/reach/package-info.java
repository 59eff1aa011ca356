@NullMarked
package dev.spur.agent.reach;

import org.jspecify.annotations.NullMarked;
