package dev.spur.cli.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// getpwuid_r and its sisters: users and groups from wherever the system is configured to look.
/// `struct passwd` and `struct group` both begin with the name's address and have the number at 16.
final class NameService {
    private static final int BUFFER = 64 * 1024;
    private static final int STRUCT = 64;
    private static final long NUMBER_AT = 16;

    private static final MethodHandle GETPWUID_R = link("getpwuid_r", JAVA_INT);
    private static final MethodHandle GETPWNAM_R = link("getpwnam_r", ADDRESS);
    private static final MethodHandle GETGRGID_R = link("getgrgid_r", JAVA_INT);
    private static final MethodHandle GETGRNAM_R = link("getgrnam_r", ADDRESS);

    private NameService() {}

    static Optional<HostUsers.Entry> userByNumber(int uid) {
        return ask((arena, entry, buffer, found) ->
                (int) GETPWUID_R.invokeExact(uid, entry, buffer, (long) BUFFER, found));
    }

    static Optional<HostUsers.Entry> groupByNumber(int gid) {
        return ask((arena, entry, buffer, found) ->
                (int) GETGRGID_R.invokeExact(gid, entry, buffer, (long) BUFFER, found));
    }

    static Optional<HostUsers.Entry> userByName(String name) {
        return ask((arena, entry, buffer, found) ->
                (int)
                        GETPWNAM_R.invokeExact(
                                arena.allocateFrom(name), entry, buffer, (long) BUFFER, found));
    }

    static Optional<HostUsers.Entry> groupByName(String name) {
        return ask((arena, entry, buffer, found) ->
                (int)
                        GETGRNAM_R.invokeExact(
                                arena.allocateFrom(name), entry, buffer, (long) BUFFER, found));
    }

    @FunctionalInterface
    private interface Lookup {
        int call(Arena arena, MemorySegment entry, MemorySegment buffer, MemorySegment found)
                throws Throwable;
    }

    private static Optional<HostUsers.Entry> ask(Lookup lookup) {
        try (var arena = Arena.ofConfined()) {
            var entry = arena.allocate(STRUCT, 8);
            var found = arena.allocate(ADDRESS);
            int error = lookup.call(arena, entry, arena.allocate(BUFFER), found);
            if (error != 0 || found.get(ADDRESS, 0).address() == 0) {
                return Optional.empty();
            }
            var name = entry.get(ADDRESS, 0).reinterpret(BUFFER).getString(0);
            return Optional.of(
                    new HostUsers.Entry(
                            name, Integer.toUnsignedLong(entry.get(JAVA_INT, NUMBER_AT))));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a library function is linked wrongly", e);
        }
    }

    private static MethodHandle link(String name, MemoryLayout key) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, key, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    }
}
