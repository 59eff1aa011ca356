package dev.spur.controller.raft;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/// Bytes of one proposal inside a log entry.
public interface EntryCodec<C> {
    void write(C proposal, DataOutput out) throws IOException;

    C read(DataInput in) throws IOException;

    /// Whether what was read is what was written.
    default boolean isSame(C written, C read) {
        return written.equals(read);
    }
}
