/// This machine and its users, asked of the C library. Start here: [Users] for who is who,
/// [ThisHost] for names and the boot that is going on.
@NullMarked
package dev.spur.runtime.host;

import org.jspecify.annotations.NullMarked;
