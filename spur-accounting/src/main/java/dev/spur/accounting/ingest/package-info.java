/// Follows the controllers and stores what they tell. Start with {@link
/// dev.spur.accounting.ingest.RecordStore}.
@NullMarked
package dev.spur.accounting.ingest;

import org.jspecify.annotations.NullMarked;
