package dev.spur.controller.state;

import dev.spur.engine.state.ClusterState;
import dev.spur.engine.state.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// Until the heart writes its own: no snapshots, the log is kept whole.
public final class StateCodec {
    public void write(Snapshot state, OutputStream out) throws IOException {
        throw new IOException("states are not written yet");
    }

    public ClusterState read(InputStream in) throws IOException {
        throw new IOException("states are not read yet");
    }
}
