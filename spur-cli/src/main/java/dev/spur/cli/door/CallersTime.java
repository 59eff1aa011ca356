package dev.spur.cli.door;

/// The time in which a command waits for its caller: to read, or to type. Several threads may wait
/// at once; that counts once.
final class CallersTime {
    private int waiting;
    private long since;
    private long total;

    /// Something that waits.
    @FunctionalInterface
    interface Wait<E extends Exception> {
        void run() throws E;
    }

    <E extends Exception> void spend(Wait<E> wait) throws E {
        count(1);
        try {
            wait.run();
        } finally {
            count(-1);
        }
    }

    private synchronized void count(int more) {
        total = nanos();
        since = System.nanoTime();
        waiting += more;
    }

    synchronized long nanos() {
        return waiting == 0 ? total : total + System.nanoTime() - since;
    }
}
