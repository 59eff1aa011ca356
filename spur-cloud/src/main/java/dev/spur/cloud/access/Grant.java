package dev.spur.cloud.access;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// By what somebody was let in: it lasts as long as that does.
///
/// @param asAdministrator whether the person was one then
/// @param login null if they did not come by one; so with the others
/// @param key of SSH
public record Grant(
        UUID person,
        boolean asAdministrator,
        @Nullable UUID login,
        @Nullable UUID token,
        @Nullable UUID key) {
    public static Grant of(Caller.Person caller) {
        return new Grant(caller.id(), caller.isAdmin(), caller.login(), caller.token(), null);
    }

    public static Grant ofKey(UUID person, UUID key) {
        return new Grant(person, false, null, null, key);
    }
}
