package dev.spur.controller.state;

import dev.spur.engine.state.Command;
import dev.spur.model.BlobRef;
import java.util.List;

/// A command on its way into the log, with the scripts and environments that it names by hash.
public record Proposal(Command command, List<Blob> blobs) {
    public Proposal {
        blobs = List.copyOf(blobs);
    }

    public static Proposal of(Command command) {
        return new Proposal(command, List.of());
    }

    /// Bytes and their name.
    @SuppressWarnings("ArrayRecordComponent") // never compared; copied by nobody
    public record Blob(BlobRef ref, byte[] bytes) {}
}
