package dev.spur.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// Files as the caller sees them: opened by the caller's own process, with its rights and umask.
/// Relative paths start at its working directory. Failures are [UserFileException]s.
public interface UserFiles {
    /// The whole file, at most `limit` bytes; a larger one fails with `EFBIG`.
    byte[] read(String path, int limit) throws IOException;

    /// Opens a file for reading, in pieces.
    InputStream open(String path) throws IOException;

    /// Creates or opens a file for writing. The stream is buffered in large pieces: flush it when
    /// others should see what was written.
    OutputStream write(String path, WriteMode mode) throws IOException;

    Status status(String path) throws IOException;

    enum WriteMode {
        TRUNCATE,
        APPEND
    }

    /// `mode` has the type and permission bits of stat(2).
    record Status(int mode, long uid, long gid, long size, long modifiedEpochSecond) {
        private static final int TYPE = 0170000;

        public boolean isDirectory() {
            return (mode & TYPE) == 0040000;
        }

        public boolean isRegularFile() {
            return (mode & TYPE) == 0100000;
        }
    }
}
