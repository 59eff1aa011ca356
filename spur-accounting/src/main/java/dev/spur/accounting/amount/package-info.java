/// Times and amounts of resources, as the tables have them.
@NullMarked
package dev.spur.accounting.amount;

import org.jspecify.annotations.NullMarked;
