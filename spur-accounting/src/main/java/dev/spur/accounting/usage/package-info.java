/// What was used, summed up by hour, day and month, and the reports on it. Start with {@link
/// dev.spur.accounting.usage.RollUp}.
@NullMarked
package dev.spur.accounting.usage;

import org.jspecify.annotations.NullMarked;
