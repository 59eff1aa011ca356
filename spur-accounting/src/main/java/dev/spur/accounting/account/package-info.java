/// Who may use what, as it was at which time, and who changed it.
@NullMarked
package dev.spur.accounting.account;

import org.jspecify.annotations.NullMarked;
