@NullMarked
package dev.spur.agent.io;

import org.jspecify.annotations.NullMarked;
