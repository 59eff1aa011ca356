package dev.spur.cli.door;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The few system calls of the door, on Linux. Each returns what the kernel does, or a negated
/// errno.
///
/// Calls that never block are linked as critical: they take Java arrays as they are, without a
/// copy.
final class Libc {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EMFILE = 24;
    static final int ENFILE = 23;
    static final int ECONNABORTED = 103;

    static final int EPOLLIN = 0x1;
    static final int EPOLLOUT = 0x4;
    static final int EPOLLERR = 0x8;
    static final int EPOLLHUP = 0x10;
    static final int EPOLLRDHUP = 0x2000;
    static final int EPOLLET = 1 << 31;
    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_MOD = 3;

    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_CLOEXEC = 02000000;
    private static final int SOCK_NONBLOCK = 04000;
    private static final int EPOLL_CLOEXEC = 02000000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_PEERGROUPS = 59;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int SHUT_RDWR = 2;
    private static final int POLL_GONE = 0x2000 | 0x10 | 0x8; // POLLRDHUP, POLLHUP, POLLERR

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final Linker.Option ON_ARRAYS = Linker.Option.critical(true);

    private static final MethodHandle SOCKET =
            quick("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = quick("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = quick("listen", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT4 =
            link(
                    "accept4",
                    new Linker.Option[] {ERRNO},
                    JAVA_INT,
                    JAVA_INT,
                    ADDRESS,
                    ADDRESS,
                    JAVA_INT);
    private static final MethodHandle RECV =
            quick("recv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SEND =
            quick("send", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SHUTDOWN = quick("shutdown", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = quick("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
            quick("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle POLL = quick("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle EPOLL_CREATE1 = quick("epoll_create1", JAVA_INT, JAVA_INT);
    private static final MethodHandle EPOLL_CTL =
            quick("epoll_ctl", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle EPOLL_WAIT =
            link(
                    "epoll_wait",
                    new Linker.Option[] {ERRNO},
                    JAVA_INT,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    JAVA_INT);

    private static final MethodHandle EVENTFD = quick("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle EVENTFD_WRITE =
            quick("eventfd_write", JAVA_INT, JAVA_INT, JAVA_LONG);

    private Libc() {}

    static int listeningSocket(byte[] path, int backlog) {
        var errno = errno();
        try {
            int fd =
                    result(
                            (int) SOCKET.invokeExact(errno, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                            errno);
            if (fd < 0) {
                return fd;
            }
            // struct sockaddr_un: u16 family in the machine's order, path, NUL
            var address = new byte[2 + path.length + 1];
            address[0] = AF_UNIX;
            System.arraycopy(path, 0, address, 2, path.length);
            int bound =
                    result(
                            (int)
                                    BIND.invokeExact(
                                            errno,
                                            fd,
                                            MemorySegment.ofArray(address),
                                            address.length),
                            errno);
            if (bound == 0) {
                bound = result((int) LISTEN.invokeExact(errno, fd, backlog), errno);
            }
            if (bound < 0) {
                close(fd);
                return bound;
            }
            return fd;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// Waits for the next connection: call it on a platform thread. `errno` is native memory.
    static int accept(int listener, MemorySegment errno) {
        try {
            return result(
                    (int)
                            ACCEPT4.invokeExact(
                                    errno,
                                    listener,
                                    MemorySegment.NULL,
                                    MemorySegment.NULL,
                                    SOCK_CLOEXEC | SOCK_NONBLOCK),
                    errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int receive(int fd, byte[] into, int offset, int length) {
        var errno = errno();
        try {
            return (int)
                    result(
                            (long)
                                    RECV.invokeExact(
                                            errno,
                                            fd,
                                            MemorySegment.ofArray(into).asSlice(offset, length),
                                            (long) length,
                                            MSG_DONTWAIT),
                            errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int send(int fd, byte[] from, int offset, int length) {
        var errno = errno();
        try {
            return (int)
                    result(
                            (long)
                                    SEND.invokeExact(
                                            errno,
                                            fd,
                                            MemorySegment.ofArray(from).asSlice(offset, length),
                                            (long) length,
                                            MSG_DONTWAIT | MSG_NOSIGNAL),
                            errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static void shutdown(int fd) {
        try {
            int _ = (int) SHUTDOWN.invokeExact(errno(), fd, SHUT_RDWR);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static void close(int fd) {
        try {
            int _ = (int) CLOSE.invokeExact(errno(), fd);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// Whether the other end has hung up, also when there is still something to read.
    static boolean hasPeerGone(int fd) {
        var poll = new int[] {fd, POLL_GONE}; // the upper half of the second is the answer
        try {
            int count = (int) POLL.invokeExact(errno(), MemorySegment.ofArray(poll), 1L, 0);
            return count > 0 && (poll[1] >>> 16 & POLL_GONE) != 0;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// Process id, uid and gid of the process at the other end, as it was when it connected.
    static int peerCredentials(int fd, int[] pidUidGid) {
        return option(fd, SO_PEERCRED, pidUidGid, new int[] {12});
    }

    /// Its supplementary groups; returns their number, or -ERANGE when there are more than fit.
    static int peerGroups(int fd, int[] groups) {
        var length = new int[] {groups.length * 4};
        int answer = option(fd, SO_PEERGROUPS, groups, length);
        return answer < 0 ? answer : length[0] / 4;
    }

    private static int option(int fd, int option, int[] value, int[] length) {
        var errno = errno();
        try {
            return result(
                    (int)
                            GETSOCKOPT.invokeExact(
                                    errno,
                                    fd,
                                    SOL_SOCKET,
                                    option,
                                    MemorySegment.ofArray(value),
                                    MemorySegment.ofArray(length)),
                    errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int newPoll() {
        var errno = errno();
        try {
            return result((int) EPOLL_CREATE1.invokeExact(errno, EPOLL_CLOEXEC), errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// `event` is one packed struct epoll_event: u32 events, u64 data.
    static int control(int poll, int operation, int fd, byte[] event) {
        var errno = errno();
        try {
            return result(
                    (int)
                            EPOLL_CTL.invokeExact(
                                    errno, poll, operation, fd, MemorySegment.ofArray(event)),
                    errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// Waits for events: call it on a platform thread. Both segments are native memory.
    static int await(
            int poll, MemorySegment events, int most, int milliseconds, MemorySegment errno) {
        try {
            return result(
                    (int) EPOLL_WAIT.invokeExact(errno, poll, events, most, milliseconds), errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// A descriptor that becomes readable by [#raise].
    static int newEvent() {
        var errno = errno();
        try {
            return result((int) EVENTFD.invokeExact(errno, 0, EPOLL_CLOEXEC), errno);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static void raise(int event) {
        try {
            int _ = (int) EVENTFD_WRITE.invokeExact(errno(), event, 1L);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /// A place for errno; on the heap, and usually optimised away.
    private static MemorySegment errno() {
        return MemorySegment.ofArray(new int[1]);
    }

    private static int result(int value, MemorySegment errno) {
        return value >= 0 ? value : -errno.get(JAVA_INT, 0);
    }

    private static long result(long value, MemorySegment errno) {
        return value >= 0 ? value : -errno.get(JAVA_INT, 0);
    }

    private static MethodHandle quick(String name, MemoryLayout returns, MemoryLayout... takes) {
        return link(name, new Linker.Option[] {ERRNO, ON_ARRAYS}, returns, takes);
    }

    private static MethodHandle link(
            String name, Linker.Option[] options, MemoryLayout returns, MemoryLayout... takes) {
        var function = LINKER.defaultLookup().findOrThrow(name);
        return LINKER.downcallHandle(function, FunctionDescriptor.of(returns, takes), options);
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a system call is linked wrongly", e);
    }
}
