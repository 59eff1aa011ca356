package dev.spur.dist;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// A directory in which nobody but the caller and root can put, rename or link anything: what is
/// written, read or run there is the caller's own. What is above it belongs to the caller or root;
/// that root lets everybody write there is the machine's affair.
final class OwnDirectory {
    private static final Set<PosixFilePermission> MODE =
            PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rwx------");
    private static final int WRITABLE_BY_OTHERS = 022;

    private OwnDirectory() {}

    /// Makes it if it is missing; everybody may enter it.
    static void prepare(Path directory) throws IOException {
        prepare(directory, MODE);
    }

    /// Makes it if it is missing; nobody else may look into it.
    static void preparePrivate(Path directory) throws IOException {
        prepare(directory, PRIVATE);
    }

    private static void prepare(Path directory, Set<PosixFilePermission> mode) throws IOException {
        try {
            Files.createDirectories(directory);
            check(directory);
            Files.setPosixFilePermissions(directory, mode);
        } catch (AccessDeniedException e) {
            throw new IOException(
                    "you may not write to %s. Choose a directory of your own with --dir"
                            .formatted(e.getFile()),
                    e);
        }
    }

    private static void check(Path directory) throws IOException {
        var self = Users.currentUid();
        var uid = uid(directory);
        if (uid != self) {
            throw new IOException(
                    "%s belongs to somebody else (uid %d). Choose a directory of your own with --dir"
                            .formatted(directory, uid));
        }
        if ((mode(directory) & WRITABLE_BY_OTHERS) != 0) {
            throw new IOException(
                    "others may write to %s. Take that from them (chmod go-w %s), or choose another directory with --dir"
                            .formatted(directory, directory));
        }
        for (var above = directory.toRealPath().getParent();
                above != null;
                above = above.getParent()) {
            var owner = uid(above);
            if (owner != self && owner != 0) {
                throw new IOException(
                        "uid %d can replace %s, because %s belongs to them. Choose another directory with --dir"
                                .formatted(owner, directory, above));
            }
        }
    }

    private static long uid(Path path) throws IOException {
        return ((Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                & 0xffff_ffffL;
    }

    private static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }
}
