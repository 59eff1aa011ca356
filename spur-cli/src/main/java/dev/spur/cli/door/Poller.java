package dev.spur.cli.door;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/// Wakes the virtual threads that wait for their sockets: one epoll descriptor, one platform
/// thread.
///
/// Sockets are registered edge-triggered when they have to wait for the first time, so most short
/// commands cost it one event. Events carry a number that is never reused; a late event of a closed
/// socket finds nobody.
final class Poller implements AutoCloseable {
    // struct epoll_event is packed on x86-64 only
    private static final boolean PACKED = "amd64".equals(System.getProperty("os.arch"));
    private static final int EVENT_SIZE = PACKED ? 12 : 16;
    private static final int EVENT_DATA = PACKED ? 4 : 8;
    private static final int MOST_EVENTS = 256;
    private static final int FOR_EVER = -1;
    private static final long STOP = 0;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final int epoll;
    private final int stop;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentMap<Long, UnixSocket> waiting = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean stopped;

    Poller(String name) {
        epoll = Libc.newPoll();
        if (epoll < 0) {
            throw new IllegalStateException("epoll_create1 failed with errno " + -epoll);
        }
        stop = Libc.newEvent();
        try {
            control(Libc.EPOLL_CTL_ADD, stop, STOP, Libc.EPOLLIN);
        } catch (IOException e) {
            throw new IllegalStateException("the poller could never be stopped", e);
        }
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    long register(UnixSocket socket, int fd, int events) throws IOException {
        long number = numbers.incrementAndGet();
        waiting.put(number, socket);
        try {
            control(Libc.EPOLL_CTL_ADD, fd, number, events);
            return number;
        } catch (IOException e) {
            waiting.remove(number);
            throw e;
        }
    }

    /// How many sockets it knows.
    int size() {
        return waiting.size();
    }

    void change(long number, int fd, int events) throws IOException {
        control(Libc.EPOLL_CTL_MOD, fd, number, events);
    }

    /// Closing the descriptor takes it out of epoll; this forgets the socket.
    void forget(long number) {
        waiting.remove(number);
    }

    /// Fails when the kernel has no room for one more, which concerns that connection only.
    private void control(int operation, int fd, long number, int events) throws IOException {
        var event = new byte[EVENT_SIZE];
        INT.set(event, 0, events | Libc.EPOLLET);
        LONG.set(event, EVENT_DATA, number);
        int answer = Libc.control(epoll, operation, fd, event);
        if (answer < 0) {
            throw new IOException("epoll_ctl failed with errno " + -answer);
        }
    }

    private void run() {
        try (var arena = Arena.ofConfined()) {
            var errno = arena.allocate(8, 8);
            var events = arena.allocate((long) MOST_EVENTS * EVENT_SIZE, 8);
            while (!stopped) {
                int count = Libc.await(epoll, events, MOST_EVENTS, FOR_EVER, errno);
                for (int i = 0; i < count; i++) {
                    int what = events.get(JAVA_INT_UNALIGNED, (long) i * EVENT_SIZE);
                    var socket =
                            waiting.get(
                                    events.get(
                                            JAVA_LONG_UNALIGNED,
                                            (long) i * EVENT_SIZE + EVENT_DATA));
                    if (socket != null) {
                        socket.ready(what);
                    }
                }
            }
        } finally {
            Libc.close(epoll);
            Libc.close(stop);
        }
    }

    @Override
    public void close() {
        stopped = true;
        Libc.raise(stop);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
