/// Who calls, as far as it was proven, and whom the API admits to what.
@NullMarked
package dev.spur.cloud.access;

import org.jspecify.annotations.NullMarked;
