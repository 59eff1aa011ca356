package dev.spur.runtime.host;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The few functions of the C library that the JDK does not offer, by the names they have there.
final class Libc {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final AddressLayout POINTER =
            ValueLayout.ADDRESS.withTargetLayout(
                    MemoryLayout.sequenceLayout(Long.MAX_VALUE, ValueLayout.JAVA_BYTE));

    static final int ERANGE = 34;

    private static final Linker LINKER = Linker.nativeLinker();

    static final MethodHandle GETPWUID_R =
            function("getpwuid_r", INT, POINTER, POINTER, LONG, POINTER);
    static final MethodHandle GETPWNAM_R =
            function("getpwnam_r", POINTER, POINTER, POINTER, LONG, POINTER);
    static final MethodHandle GETGRGID_R =
            function("getgrgid_r", INT, POINTER, POINTER, LONG, POINTER);
    static final MethodHandle GETGRNAM_R =
            function("getgrnam_r", POINTER, POINTER, POINTER, LONG, POINTER);
    static final MethodHandle GETGROUPLIST =
            function("getgrouplist", POINTER, INT, POINTER, POINTER);
    static final MethodHandle GETHOSTNAME = function("gethostname", POINTER, LONG);
    static final MethodHandle GETUID = function("geteuid");
    static final MethodHandle SETSID = function("setsid");
    static final MethodHandle SETGROUPS = function("setgroups", LONG, POINTER);
    static final MethodHandle SETRESGID = function("setresgid", INT, INT, INT);
    static final MethodHandle SETRESUID = function("setresuid", INT, INT, INT);

    private Libc() {}

    /// Calls a function that answers with an int.
    static int call(MethodHandle function, Object... arguments) {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a call into the C library failed", e);
        }
    }

    static String text(MemorySegment pointer) {
        return pointer.equals(MemorySegment.NULL) ? "" : pointer.getString(0);
    }

    static MemorySegment text(Arena arena, String text) {
        return arena.allocateFrom(text);
    }

    private static MethodHandle function(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(INT, arguments));
    }
}
