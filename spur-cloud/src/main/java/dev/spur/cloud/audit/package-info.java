/// What people did to accounts, sessions and money, for whoever has to answer for it.
@NullMarked
package dev.spur.cloud.audit;

import org.jspecify.annotations.NullMarked;
