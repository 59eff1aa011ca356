package dev.spur.cli.door;

import dev.spur.cli.Memory;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Values that the stub keeps for a command. Sent at once: when the door dies, what was sent before
/// arrives all the same.
final class StubMemory implements Memory {
    private final FrameWriter writer;
    private final Map<Integer, byte[]> values;
    private final boolean resumed;
    private final long inputOffset;
    private volatile boolean suspended;

    StubMemory(Greeting greeting, FrameWriter writer) {
        this.writer = writer;
        this.values = new ConcurrentHashMap<>(greeting.memory());
        this.resumed = greeting.resumed();
        this.inputOffset = greeting.inputOffset();
    }

    @Override
    public boolean isResumed() {
        return resumed;
    }

    @Override
    public Optional<byte[]> recall(int key) {
        return Optional.ofNullable(values.get(key));
    }

    @Override
    public void keep(int key, byte[] value) {
        writer.send(Frame.MEMORY, key, value);
        values.put(
                key,
                value); // after it has been sent: what the caller has not got nobody goes on with
    }

    @Override
    public void atOnce(Work work) throws IOException {
        writer.gather(work);
    }

    @Override
    public long inputOffset() {
        return inputOffset;
    }

    @Override
    public void inputTaken(long offset) {
        writer.sendLong(Frame.RELEASE, 0, offset);
    }

    @Override
    public boolean isSuspended() {
        return suspended;
    }

    /// The door closes. A stub that was left nothing ends with it.
    void suspend() {
        suspended = !values.isEmpty();
    }
}
