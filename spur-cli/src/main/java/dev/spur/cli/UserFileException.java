package dev.spur.cli;

import java.io.IOException;

/// A file operation the caller's process could not do: errno and the system's words for it.
public final class UserFileException extends IOException {
    public static final int ENOENT = 2;
    public static final int EACCES = 13;
    public static final int EISDIR = 21;
    public static final int EFBIG = 27;

    private final String path;
    private final int errno;
    private final String reason;

    public UserFileException(String path, int errno, String reason) {
        super(path + ": " + reason);
        this.path = path;
        this.errno = errno;
        this.reason = reason;
    }

    public String path() {
        return path;
    }

    public int errno() {
        return errno;
    }

    /// The system's words, as in `No such file or directory`.
    public String reason() {
        return reason;
    }
}
