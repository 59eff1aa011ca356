/// Who asks, and what he may see. Tokens and the words of hosts are checked by the controllers.
@NullMarked
package dev.spur.accounting.access;

import org.jspecify.annotations.NullMarked;
