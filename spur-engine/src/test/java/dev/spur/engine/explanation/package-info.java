@NullMarked
package dev.spur.engine.explanation;

import org.jspecify.annotations.NullMarked;
