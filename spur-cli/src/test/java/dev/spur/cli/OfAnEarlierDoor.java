package dev.spur.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What the caller kept of a command whose door died while it held a job.
public final class OfAnEarlierDoor implements Memory {
    private final Map<Integer, byte[]> kept =
            new HashMap<>(Map.of(FAREWELL, "Job 7 goes on.".getBytes(StandardCharsets.UTF_8)));

    public OfAnEarlierDoor with(int key, byte[] value) {
        kept.put(key, value);
        return this;
    }

    @Override
    public boolean isResumed() {
        return true;
    }

    @Override
    public Optional<byte[]> recall(int key) {
        return Optional.ofNullable(kept.get(key));
    }

    @Override
    public void keep(int key, byte[] value) {
        kept.put(key, value);
    }

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
}
