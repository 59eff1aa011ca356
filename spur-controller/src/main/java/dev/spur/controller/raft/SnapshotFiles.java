package dev.spur.controller.raft;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Snapshots on disk: `snapshot.TERM_INDEX`, its MD5 in `snapshot.TERM_INDEX.md5`, and a directory
/// `files.TERM_INDEX` with hard links to what the state refers to. A snapshot exists once the
/// `.md5` does, which is written last: temporary file, fsync, rename, fsync of the directory.
///
/// A snapshot of another controller is brought by Ratis, which replaces the whole directory at once
/// and writes an `.md5` beside every file, those in `files.TERM_INDEX` included, as `md5sum` does:
/// the digest, a blank, `*` and the file's name.
final class SnapshotFiles implements StateMachineStorage {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);
    private static final Pattern COMPLETE = Pattern.compile("snapshot\\.([0-9]+)_([0-9]+)\\.md5");
    private static final Pattern VERSION =
            Pattern.compile("(?:snapshot|files)\\.([0-9]+)_([0-9]+)(?:\\.md5)?(?:\\.tmp)?");
    private static final Pattern DIGEST =
            Pattern.compile("([0-9a-f]{32})(?:\\s.*)?", Pattern.DOTALL);
    private static final int BUFFER = 1 << 16;

    private final Path directory;
    private final boolean sendsToPeers;
    private volatile @Nullable SnapshotInfo latest;

    /// @param sendsToPeers whether a follower may ask for the files
    SnapshotFiles(Path directory, boolean sendsToPeers) throws IOException {
        this.directory = directory;
        this.sendsToPeers = sendsToPeers;
        endInstallation();
        this.latest = newest();
    }

    /// Ends what a crash interrupted while Ratis put another controller's snapshot in the place of
    /// ours: it copies the new one to `tmp`, moves ours aside, moves the new one in, and deletes
    /// ours. In between there is none, and the log before it is long gone.
    private void endInstallation() throws IOException {
        var aside = temporary(directory);
        if (Files.isDirectory(aside) && !Files.exists(directory)) {
            Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
            sync(directory.resolveSibling("."));
        }
        deleteTree(aside);
        deleteTree(directory.resolveSibling("tmp"));
    }

    /// Index of the newest whole snapshot, -1 if there is none.
    long newestIndex() {
        var found = latest;
        return found == null ? -1 : found.getIndex();
    }

    /// Size of the newest whole snapshot, without the files beside it.
    long newestBytes() {
        var found = latest;
        return found == null
                ? 0
                : directory.resolve(nameOf(found.getTermIndex())).toFile().length();
    }

    SnapshotInfo write(TermIndex at, Replica.Image image) throws IOException {
        try {
            return complete(at, image);
        } catch (IOException | RuntimeException e) {
            discardUnlessWhole(at);
            throw e;
        }
    }

    /// What remains of one that failed would fill a disk that is full already.
    private void discardUnlessWhole(TermIndex at) {
        var file = directory.resolve(nameOf(at));
        try {
            if (!Files.exists(digestFile(file))) {
                deleteTree(file);
                deleteTree(temporary(file));
                deleteTree(temporary(digestFile(file)));
                deleteTree(filesOf(at));
            }
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("what remains of a snapshot goes with the next one");
        }
    }

    private SnapshotInfo complete(TermIndex at, Replica.Image image) throws IOException {
        Files.createDirectories(directory);
        var name = nameOf(at);
        var target = directory.resolve(name);
        var temporary = temporary(target);
        var digest = md5();
        try (var channel =
                FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            OutputStream out =
                    new DigestOutputStream(
                            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER),
                            digest);
            image.writeTo(out);
            out.flush();
            channel.force(true);
        }
        var links = filesOf(at);
        Files.createDirectories(links);
        image.linkFiles(links);
        sync(links);
        Files.move(
                temporary,
                target,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        sync(directory);
        var hash = digest.digest();
        writeAtomically(directory.resolve(name + ".md5"), HexFormat.of().formatHex(hash));
        var info = info(at, target, hash);
        var newest = newer(info, latest);
        latest = newest;
        removeOlderThan(newest.getTermIndex());
        return info;
    }

    private static SnapshotInfo newer(SnapshotInfo one, @Nullable SnapshotInfo other) {
        return other == null || one.getTermIndex().compareTo(other.getTermIndex()) >= 0
                ? one
                : other;
    }

    /// Takes what a snapshot has.
    interface Reader {
        void read(InputStream in) throws IOException;
    }

    /// Gives a snapshot to whoever reads it, and checks it against its digest on the way: a reader
    /// that has seen the last byte knows that all were right.
    void read(SnapshotInfo snapshot, Reader reader) throws IOException {
        var file = directory.resolve(nameOf(snapshot.getTermIndex()));
        try (var in = new CheckedFile(file, digestIn(digestFile(file)))) {
            try {
                reader.read(in);
            } catch (RuntimeException e) {
                in.skipToEnd(); // the digest tells damage from what another release wrote
                throw e;
            }
            in.skipToEnd();
        }
    }

    /// Refuses to give the last bytes of a file whose digest is another.
    private static final class CheckedFile extends DigestInputStream {
        private final Path file;
        private final byte[] expected;
        private long left;
        private boolean checked;

        CheckedFile(Path file, byte[] expected) throws IOException {
            super(new BufferedInputStream(Files.newInputStream(file), BUFFER), md5());
            this.file = file;
            this.expected = expected;
            this.left = Files.size(file);
        }

        @Override
        public int read() throws IOException {
            var next = super.read();
            came(next < 0 ? -1 : 1);
            return next;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            var count = super.read(bytes, offset, length);
            came(count);
            return count;
        }

        void skipToEnd() throws IOException {
            transferTo(OutputStream.nullOutputStream());
        }

        private void came(int count) throws IOException {
            left -= Math.max(count, 0);
            if ((left == 0 || count < 0) && !checked) {
                checked = true;
                if (!Arrays.equals(getMessageDigest().digest(), expected)) {
                    throw new DamagedLogException(file, "the snapshot does not match its checksum");
                }
            }
        }
    }

    Path filesOf(TermIndex at) {
        return directory.resolve("files." + at.getTerm() + "_" + at.getIndex());
    }

    @Override
    public void init(RaftStorage storage) throws IOException {
        refresh();
    }

    /// Looks again: another controller's snapshot may have been installed.
    void refresh() throws IOException {
        Files.createDirectories(directory);
        latest = newest();
    }

    /// Looks again after an installation, and makes durable what was installed: the log before it
    /// is purged, so nothing else has it.
    void installed() throws IOException {
        try (var tree = Files.walk(directory)) {
            for (var path : tree.toList()) {
                sync(path);
            }
        }
        sync(directory.resolve(".."));
        refresh();
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
        return latest;
    }

    @Override
    public void format() {}

    @Override
    public void cleanupOldSnapshots(SnapshotRetentionPolicy policy) {
        // Done by `write`, which knows when the new one is whole.
    }

    /// Never a newer one, whoever brought it.
    private void removeOlderThan(TermIndex kept) throws IOException {
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                var version = VERSION.matcher(file.getFileName().toString());
                if (version.matches() && termIndex(version).compareTo(kept) < 0) {
                    deleteTree(file);
                }
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var tree = Files.walk(root)) {
            for (var path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private @Nullable SnapshotInfo newest() throws IOException {
        if (!Files.isDirectory(directory)) {
            return null;
        }
        SnapshotInfo newest = null;
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                var matcher = COMPLETE.matcher(file.getFileName().toString());
                if (!matcher.matches()) {
                    continue;
                }
                var at = termIndex(matcher);
                if (newest == null || at.compareTo(newest.getTermIndex()) > 0) {
                    newest = info(at, directory.resolve(nameOf(at)), digestIn(file));
                }
            }
        }
        return newest;
    }

    private SnapshotInfo info(TermIndex at, Path file, byte[] md5) throws IOException {
        var files = new ArrayList<FileInfo>();
        files.add(new FileInfo(file, MD5Hash.newInstance(md5)));
        if (sendsToPeers && Files.isDirectory(filesOf(at))) {
            try (var links = Files.list(filesOf(at))) {
                links.filter(link -> !link.toString().endsWith(".md5"))
                        .sorted()
                        // Without a digest it is computed while the file is sent, if ever it is.
                        .forEach(link -> files.add(new FileInfo(link, null)));
            }
        }
        return new FileListSnapshotInfo(files, at);
    }

    private static TermIndex termIndex(Matcher version) {
        return TermIndex.valueOf(
                Long.parseLong(version.group(1)), Long.parseLong(version.group(2)));
    }

    private static Path digestFile(Path file) {
        return file.resolveSibling(file.getFileName() + ".md5");
    }

    private static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + ".tmp");
    }

    private static byte[] digestIn(Path file) throws IOException {
        var digest = DIGEST.matcher(Files.readString(file).strip());
        if (!digest.matches()) {
            throw new DamagedLogException(file, "it holds no checksum");
        }
        return HexFormat.of().parseHex(digest.group(1));
    }

    private static String nameOf(TermIndex at) {
        return "snapshot." + at.getTerm() + "_" + at.getIndex();
    }

    private void writeAtomically(Path target, String text) throws IOException {
        var temporary = temporary(target);
        Files.writeString(
                temporary,
                text,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE,
                StandardOpenOption.SYNC);
        Files.move(
                temporary,
                target,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        sync(directory);
    }

    private static void sync(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5"); // Ratis' choice for its file transfer
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
