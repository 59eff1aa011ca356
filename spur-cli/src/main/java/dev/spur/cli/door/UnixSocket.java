package dev.spur.cli.door;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// One connection to a stub. Reading and writing block the calling virtual thread only. One thread
/// reads, one at a time writes.
///
/// The descriptor is closed when its last holder lets go: a number that the kernel gives to
/// somebody else must not be in use here any more.
final class UnixSocket {
    private static final int MOST_GROUPS = 65_536;

    private final int fd;
    private final Poller poller;
    private final Semaphore readable = new Semaphore(0);
    private final Semaphore writable = new Semaphore(0);
    private final AtomicInteger holders = new AtomicInteger(1);
    private final CallersTime callersTime = new CallersTime();
    private long registration;
    private boolean wantsToWrite;

    UnixSocket(int fd, Poller poller) {
        this.fd = fd;
        this.poller = poller;
    }

    /// What its user takes of the time of those who work for it.
    CallersTime callersTime() {
        return callersTime;
    }

    /// Who connected, as the kernel knows.
    PeerProcess peer() throws IOException {
        var credentials = new int[3];
        int answer = Libc.peerCredentials(fd, credentials);
        if (answer < 0) {
            throw new IOException("SO_PEERCRED failed with errno " + -answer);
        }
        return new PeerProcess(
                credentials[0],
                Integer.toUnsignedLong(credentials[1]),
                Integer.toUnsignedLong(credentials[2]));
    }

    /// The peer's supplementary groups. None where the kernel cannot tell (before Linux 4.13).
    List<Long> groups() {
        var groups = new int[64];
        int count = Libc.peerGroups(fd, groups);
        if (count == -34) { // ERANGE: more than fit
            groups = new int[MOST_GROUPS];
            count = Libc.peerGroups(fd, groups);
        }
        var found = new ArrayList<Long>();
        for (int i = 0; i < count; i++) {
            found.add(Integer.toUnsignedLong(groups[i]));
        }
        return found;
    }

    /// Whether the peer has hung up, whatever it said before.
    boolean hasPeerGone() {
        return Libc.hasPeerGone(fd);
    }

    record PeerProcess(int pid, long uid, long gid) {}

    /// Reads at least one byte; -1 at the end. Waits at most `patience`, or for ever when it is
    /// zero.
    int receive(byte[] into, int offset, int length, Duration patience)
            throws IOException, InterruptedException {
        while (true) {
            int count = Libc.receive(fd, into, offset, length);
            if (count > 0) {
                return count;
            }
            if (count == 0) {
                return -1;
            }
            switch (-count) {
                case Libc.EAGAIN -> awaitReadable(patience);
                case Libc.EINTR -> {}
                default -> throw new IOException("recv failed with errno " + -count);
            }
        }
    }

    /// Sends all of it. Not ended by an interrupt, which would leave half a frame behind, but by
    /// [#shutdown].
    void send(byte[] from, int offset, int length) throws IOException {
        if (!holdUnlessClosed()) {
            throw new EOFException("the connection is closed");
        }
        try {
            sendAll(from, offset, length);
        } finally {
            release();
        }
    }

    private void sendAll(byte[] from, int offset, int length) throws IOException {
        int sent = 0;
        while (sent < length) {
            int count = Libc.send(fd, from, offset + sent, length - sent);
            if (count >= 0) {
                sent += count;
                continue;
            }
            switch (-count) {
                case Libc.EAGAIN -> {
                    register(true);
                    callersTime.spend(writable::acquireUninterruptibly);
                    writable.drainPermits();
                }
                case Libc.EINTR -> {}
                default -> throw new EOFException("send failed with errno " + -count);
            }
        }
    }

    private void awaitReadable(Duration patience) throws IOException, InterruptedException {
        register(false);
        if (patience.isZero()) {
            readable.acquire();
        } else if (!readable.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("the caller is silent");
        }
        readable.drainPermits();
    }

    /// Registering reports at once what is ready already, so nothing is missed between trying and
    /// waiting.
    private synchronized void register(boolean toWrite) throws IOException {
        int reading = Libc.EPOLLIN | Libc.EPOLLRDHUP;
        if (registration == 0) {
            wantsToWrite = toWrite;
            registration = poller.register(this, fd, toWrite ? reading | Libc.EPOLLOUT : reading);
        } else if (toWrite && !wantsToWrite) {
            wantsToWrite = true;
            poller.change(registration, fd, reading | Libc.EPOLLOUT);
        }
    }

    /// Called by the poller.
    void ready(int events) {
        int broken = Libc.EPOLLHUP | Libc.EPOLLERR;
        if ((events & (Libc.EPOLLIN | Libc.EPOLLRDHUP | broken)) != 0) {
            readable.release();
        }
        if ((events & (Libc.EPOLLOUT | broken)) != 0) {
            writable.release();
        }
    }

    /// Ends reading and writing on both sides; whoever waits here wakes up.
    void shutdown() {
        if (holdUnlessClosed()) {
            Libc.shutdown(fd);
            readable.release();
            writable.release();
            release();
        }
    }

    void hold() {
        holders.incrementAndGet();
    }

    /// For those who may come when the last holder has gone.
    private boolean holdUnlessClosed() {
        return holders.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            synchronized (this) {
                if (registration != 0) {
                    poller.forget(registration);
                }
            }
            Libc.close(fd);
        }
    }
}
