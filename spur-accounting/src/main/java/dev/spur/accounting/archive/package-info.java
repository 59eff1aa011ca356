/// What becomes of old records: they are written to files, and removed.
@NullMarked
package dev.spur.accounting.archive;

import org.jspecify.annotations.NullMarked;
