/// People: their profiles, SSH keys and API tokens.
@NullMarked
package dev.spur.cloud.users;

import org.jspecify.annotations.NullMarked;
