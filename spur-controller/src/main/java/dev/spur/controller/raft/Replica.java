package dev.spur.controller.raft;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/// What the log drives. `apply`, `image` and `restore` are called by one thread only.
public interface Replica<C, R> {
    /// Folds one log entry in and answers each of its proposals. Must not throw for anything a
    /// proposal may contain.
    List<R> apply(long index, List<C> entry);

    /// The state as of now, immutable: written in the background while applying goes on.
    Image image();

    /// Replaces everything by what an image wrote; `files` are those it linked.
    void restore(InputStream in, Path files) throws IOException;

    /// An immutable state that can be written.
    interface Image {
        void writeTo(OutputStream out) throws IOException;

        /// Makes durable the files that the state refers to, and links them into `directory`.
        void linkFiles(Path directory) throws IOException;
    }
}
