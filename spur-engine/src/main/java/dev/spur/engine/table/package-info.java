/// Tables that one thread writes and any number read: immutable pages, copied when first written
/// after a publication, so that a reader's view costs the writer nothing.
@NullMarked
package dev.spur.engine.table;

import org.jspecify.annotations.NullMarked;
