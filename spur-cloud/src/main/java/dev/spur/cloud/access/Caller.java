package dev.spur.cloud.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Who is behind a request, as far as it was proven.
public sealed interface Caller {
    /// A person, by a login or an API token.
    ///
    /// @param login null for an API token
    /// @param token the API token; null for a login
    /// @param scopes what a token may do; of a login everything
    /// @param signedInAt when the person last proved who they are
    record Person(
            UUID id,
            String email,
            String username,
            boolean isAdmin,
            @Nullable UUID login,
            @Nullable UUID token,
            Set<String> scopes,
            Instant signedInAt)
            implements Caller {
        public Person {
            scopes = Set.copyOf(scopes);
        }

        /// Whether the person has proved since then who they are. Whoever makes an API token proves
        /// nothing by it: an old login does.
        public boolean hasProvedSince(Instant then) {
            return login != null && signedInAt.isAfter(then);
        }
    }

    /// Nobody who is known.
    record Stranger() implements Caller {}

    /// For endpoints that only people may call, whom the gate has let in.
    default Person person() {
        return switch (this) {
            case Person person -> person;
            case Stranger() -> throw new IllegalStateException("a stranger came past the gate");
        };
    }
}
