package dev.spur.runtime.host;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

/// Whom a service becomes that root starts but that needs none of root's rights.
public record ServiceAccount(long uid, long gid) {
    /// The account that packages make for Spur.
    public static final String NAME = "spur";

    /// Where no account is named so: numbers that nobody gives away. People end at 59999 (Debian)
    /// or 60000, systemd's home directories at 60577, its dynamic services begin at 61184.
    private static final long FIRST_UNNAMED = 60_817;

    private static final long LAST_UNNAMED = 60_880;

    /// The account `spur`, or a number that belongs to nobody here.
    public static ServiceAccount usual() {
        return Users.byName(NAME).map(ServiceAccount::of).orElseGet(ServiceAccount::unnamed);
    }

    /// A user of this host, by name or number.
    public static ServiceAccount named(String text) {
        return Users.byNameOrUid(text)
                .map(ServiceAccount::of)
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "there is no user \"%s\" on this host".formatted(text)));
    }

    private static ServiceAccount of(User user) {
        return new ServiceAccount(user.uid(), user.gid());
    }

    private static ServiceAccount unnamed() {
        return LongStream.rangeClosed(FIRST_UNNAMED, LAST_UNNAMED)
                .filter(id -> Users.byUid(id).isEmpty() && Users.groupName(id).isEmpty())
                .mapToObj(id -> new ServiceAccount(id, id))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException(
                                "every number from %d to %d belongs to a user. Make an account: useradd --system %s"
                                        .formatted(FIRST_UNNAMED, LAST_UNNAMED, NAME)));
    }

    /// Whether the account can read a file, by the rights of everybody: it owns nothing else.
    public boolean canRead(Path file) {
        try {
            var path = file.toRealPath();
            for (var each = path; each != null; each = each.getParent()) {
                int needed = each.equals(path) ? 04 : 01;
                if (uid != 0 && ((int) Files.getAttribute(each, "unix:mode") & needed) == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Whether the account can go to what is in a directory: it may pass through all that are above
    /// it.
    public boolean canReach(Path directory) {
        try {
            for (var each = directory.toRealPath(); each != null; each = each.getParent()) {
                var owner = Integer.toUnsignedLong((Integer) Files.getAttribute(each, "unix:uid"));
                int needed = owner == uid ? 0100 : 01;
                if (uid != 0 && ((int) Files.getAttribute(each, "unix:mode") & needed) == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Gives the account one file or directory.
    public void give(Path path) {
        try {
            Files.setAttribute(path, "unix:gid", (int) gid, NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", (int) uid, NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give away " + path, e);
        }
    }

    /// Gives the account a directory with the files in it.
    public void own(Path directory) {
        try (var files = Files.walk(directory, 1)) {
            for (var path : files.toList()) {
                Files.setAttribute(path, "unix:gid", (int) gid);
                Files.setAttribute(path, "unix:uid", (int) uid);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give away " + directory, e);
        }
    }

    /// Whether a JVM can go on as this account: it reads more of the JDK as it goes.
    public boolean canRunJava() {
        return canRead(Path.of(System.getProperty("java.home"), "lib/modules"));
    }

    /// Becomes this account, in all threads and for good. Only root can.
    public void become() {
        // Asking for what no library has opens them all, also where the account may not look.
        var _ = ServiceAccount.class.getClassLoader().getResource("in/no/library");
        // Groups first: without root's uid they could not be left any more. The C library repeats
        // each of these in every thread.
        require(Libc.call(Libc.SETGROUPS, 0L, MemorySegment.NULL));
        require(Libc.call(Libc.SETRESGID, (int) gid, (int) gid, (int) gid));
        require(Libc.call(Libc.SETRESUID, (int) uid, (int) uid, (int) uid));
    }

    private void require(int result) {
        if (result != 0) {
            throw new IllegalStateException(
                    "cannot become uid %d: only root may change the user".formatted(uid));
        }
    }
}
