package dev.spur.runtime.host;

import static dev.spur.runtime.host.Libc.INT;
import static dev.spur.runtime.host.Libc.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// Users and groups of this host, through the C library, so that LDAP and the like count as well as
/// `/etc/passwd`. A question can wait for a server elsewhere; answers are not kept.
public final class Users {
    /// Enough for nearly every entry; the buffer grows for a group with thousands of members.
    private static final int FIRST_BUFFER = 4096;

    private static final int LARGEST_BUFFER = 16 << 20;
    private static final int FIRST_GROUPS = 64;
    private static final int MOST_GROUPS = 65_536;

    // struct passwd and struct group of the 64-bit Linux ABI.
    private static final long PASSWD_SIZE = 48;
    private static final long PASSWD_NAME = 0;
    private static final long PASSWD_UID = 16;
    private static final long PASSWD_GID = 20;
    private static final long PASSWD_HOME = 32;
    private static final long PASSWD_SHELL = 40;
    private static final long GROUP_SIZE = 32;
    private static final long GROUP_NAME = 0;
    private static final long GROUP_GID = 16;

    private Users() {}

    public static Optional<User> byUid(long uid) {
        return isId(uid)
                ? lookUp(Libc.GETPWUID_R, _ -> (int) uid, PASSWD_SIZE, Users::user)
                : Optional.empty();
    }

    public static Optional<User> byName(String name) {
        return isName(name)
                ? lookUp(Libc.GETPWNAM_R, arena -> Libc.text(arena, name), PASSWD_SIZE, Users::user)
                : Optional.empty();
    }

    /// By name, or by number in digits when nobody has that name.
    public static Optional<User> byNameOrUid(String text) {
        return byName(text)
                .or(() -> number(text).stream().boxed().findFirst().flatMap(Users::byUid));
    }

    public static Optional<String> groupName(long gid) {
        return isId(gid)
                ? lookUp(
                        Libc.GETGRGID_R,
                        _ -> (int) gid,
                        GROUP_SIZE,
                        group -> Libc.text(group.get(POINTER, GROUP_NAME)))
                : Optional.empty();
    }

    public static OptionalLong gid(String groupName) {
        if (!isName(groupName)) {
            return OptionalLong.empty();
        }
        return lookUp(
                        Libc.GETGRNAM_R,
                        arena -> Libc.text(arena, groupName),
                        GROUP_SIZE,
                        group -> Integer.toUnsignedLong(group.get(INT, GROUP_GID)))
                .stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /// All groups of a user, the primary one first.
    public static List<Long> groups(User user) {
        for (int room = FIRST_GROUPS; room <= MOST_GROUPS; room *= 4) {
            try (var arena = Arena.ofConfined()) {
                var groups = arena.allocate(INT, room);
                var count = arena.allocateFrom(INT, room);
                int found =
                        Libc.call(
                                Libc.GETGROUPLIST,
                                Libc.text(arena, user.name()),
                                (int) user.gid(),
                                groups,
                                count);
                if (found >= 0) {
                    return unsigned(groups, found, user.gid());
                }
            }
        }
        throw new IllegalStateException(
                "user %s is in more than %d groups".formatted(user.name(), MOST_GROUPS));
    }

    /// The user as whom this process runs.
    public static long currentUid() {
        return Integer.toUnsignedLong(Libc.call(Libc.GETUID));
    }

    private static List<Long> unsigned(MemorySegment groups, int count, long primary) {
        var ids = new ArrayList<Long>();
        ids.add(primary);
        for (int i = 0; i < count; i++) {
            long id = Integer.toUnsignedLong(groups.getAtIndex(INT, i));
            if (!ids.contains(id)) {
                ids.add(id);
            }
        }
        return List.copyOf(ids);
    }

    private static User user(MemorySegment passwd) {
        return new User(
                Integer.toUnsignedLong(passwd.get(INT, PASSWD_UID)),
                Integer.toUnsignedLong(passwd.get(INT, PASSWD_GID)),
                Libc.text(passwd.get(POINTER, PASSWD_NAME)),
                Libc.text(passwd.get(POINTER, PASSWD_HOME)),
                Libc.text(passwd.get(POINTER, PASSWD_SHELL)));
    }

    /// The get…_r functions fill a structure and a buffer with its texts, and say ERANGE when the
    /// buffer is too small. Any other failure is taken for "nobody": the name service says ENOENT,
    /// EPERM or EIO as it likes.
    private static <T> Optional<T> lookUp(
            MethodHandle function,
            Function<Arena, Object> key,
            long size,
            Function<MemorySegment, T> read) {
        for (long length = FIRST_BUFFER; length <= LARGEST_BUFFER; length *= 4) {
            try (var arena = Arena.ofConfined()) {
                var structure = arena.allocate(size, 8);
                var buffer = arena.allocate(length);
                var result = arena.allocate(POINTER);
                int error =
                        Libc.call(function, key.apply(arena), structure, buffer, length, result);
                if (error == Libc.ERANGE) {
                    continue;
                }
                boolean found = error == 0 && !result.get(POINTER, 0).equals(MemorySegment.NULL);
                return found ? Optional.of(read.apply(structure)) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static OptionalLong number(String text) {
        return text.matches("[0-9]{1,10}")
                ? OptionalLong.of(Long.parseLong(text))
                : OptionalLong.empty();
    }

    /// The largest number means "no user" to the kernel.
    private static boolean isId(long id) {
        return id >= 0 && id < 0xFFFF_FFFFL;
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.indexOf('\0') < 0;
    }
}
