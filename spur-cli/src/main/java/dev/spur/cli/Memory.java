package dev.spur.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/// What a command leaves with its caller's process, which outlives the door: the ids of its
/// requests, how far its output was passed on. When the door ends in the middle, the caller repeats
/// the command behind the next one; it runs from its beginning again and finds here what it need
/// not do twice.
///
/// A command that keeps nothing ends with its door.
public interface Memory {
    /// The text that a caller prints when no door comes back.
    int FAREWELL = 0;

    /// Whether an earlier door began with this command.
    boolean isResumed();

    /// What was kept under the key.
    Optional<byte[]> recall(int key);

    /// Keeps a value of at most 64 KiB, with the caller when this returns.
    void keep(int key, byte[] value);

    /// What the work writes and keeps reaches the caller as one: both or nothing, if the door dies.
    void atOnce(Work work) throws IOException;

    /// Something that writes.
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /// Where the standard input that this door gets begins.
    long inputOffset();

    /// Standard input before this offset is where it was meant to be.
    void inputTaken(long offset);

    /// The door ends and the caller goes on with another: what the command has begun must stay.
    boolean isSuspended();

    /// What a user is told if no door comes back.
    default void farewell(String text) {
        keep(FAREWELL, text.getBytes(StandardCharsets.UTF_8));
    }

    /// The text that was made when the command first came here.
    default String once(int key, Supplier<String> made) {
        var kept = recall(key);
        if (kept.isPresent()) {
            return new String(kept.get(), StandardCharsets.UTF_8);
        }
        var text = made.get();
        keep(key, text.getBytes(StandardCharsets.UTF_8));
        return text;
    }

    /// For a command that nobody can go on with.
    Memory NONE =
            new Memory() {
                @Override
                public boolean isResumed() {
                    return false;
                }

                @Override
                public Optional<byte[]> recall(int key) {
                    return Optional.empty();
                }

                @Override
                public void keep(int key, byte[] value) {}

                @Override
                public void atOnce(Work work) throws IOException {
                    work.run();
                }

                @Override
                public long inputOffset() {
                    return 0;
                }

                @Override
                public void inputTaken(long offset) {}

                @Override
                public boolean isSuspended() {
                    return false;
                }
            };
}
