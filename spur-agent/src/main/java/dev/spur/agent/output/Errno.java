package dev.spur.agent.output;

import io.grpc.Status;
import io.grpc.StatusException;

/// Why a file cannot be read, in the system's words.
final class Errno {
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int EIO = 5;
    private static final int EACCES = 13;
    private static final int ENODEV = 19;
    private static final int ENOTDIR = 20;
    private static final int EISDIR = 21;
    private static final int ELOOP = 40;

    private Errno() {}

    static StatusException refusal(String path, int errno) {
        var status =
                switch (errno) {
                    case ENOENT, ENOTDIR -> Status.NOT_FOUND;
                    case EPERM, EACCES -> Status.PERMISSION_DENIED;
                    default -> Status.FAILED_PRECONDITION;
                };
        return status.withDescription("%s: %s".formatted(path, words(errno))).asException();
    }

    private static String words(int errno) {
        return switch (errno) {
            case EPERM -> "Operation not permitted";
            case ENOENT -> "No such file or directory";
            case EIO -> "Input/output error";
            case EACCES -> "Permission denied";
            case ENODEV -> "Not a regular file";
            case ENOTDIR -> "Not a directory";
            case EISDIR -> "Is a directory";
            case ELOOP -> "Too many levels of symbolic links";
            default -> "error " + errno;
        };
    }
}
