package dev.spur.cli.door;

import dev.spur.cli.CallerGoneException;

/// A stream towards the stub: standard output or error, or a file that it writes. Sends no more
/// than the stub has promised to hold.
final class Outgoing {
    private final int id;
    private final FrameWriter writer;
    private int credit = Frame.WINDOW;
    private boolean gone;

    Outgoing(int id, FrameWriter writer) {
        this.id = id;
        this.writer = writer;
    }

    void send(byte[] bytes, int offset, int length) {
        write(bytes, offset, length, true);
    }

    /// As [#send], but what fits may stay in the writer until something is sent.
    void add(byte[] bytes, int offset, int length) {
        write(bytes, offset, length, false);
    }

    private void write(byte[] bytes, int offset, int length, boolean now) {
        int done = 0;
        while (done < length) {
            int piece = claim(Math.min(length - done, Frame.PAYLOAD));
            if (now) {
                writer.send(Frame.DATA, id, bytes, offset + done, piece);
            } else {
                writer.add(Frame.DATA, id, bytes, offset + done, piece);
            }
            done += piece;
        }
    }

    private synchronized int claim(int wanted) {
        while (credit == 0 && !gone) {
            try {
                writer.callersTime().spend(this::wait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CallerGoneException("cancelled while the caller took its time to read");
            }
        }
        if (gone) {
            throw new CallerGoneException("the caller has gone");
        }
        int piece = Math.min(wanted, credit);
        credit -= piece;
        return piece;
    }

    synchronized void confirmed(int bytes) throws ProtocolException {
        if (bytes <= 0 || bytes > Frame.WINDOW - credit) {
            throw new ProtocolException("confirms more than was sent");
        }
        credit += bytes;
        notifyAll();
    }

    synchronized void callerGone() {
        gone = true;
        notifyAll();
    }
}
