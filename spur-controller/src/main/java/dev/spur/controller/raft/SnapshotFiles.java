package dev.spur.controller.raft;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
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

/// Snapshots on disk: `snapshot.TERM_INDEX`, its MD5 in `snapshot.TERM_INDEX.md5`, and a directory
/// `files.TERM_INDEX` with hard links to what the state refers to. A snapshot exists once the
/// `.md5` does, which is written last: temporary file, fsync, rename, fsync of the directory.
final class SnapshotFiles implements StateMachineStorage {
    private static final Pattern COMPLETE = Pattern.compile("snapshot\\.(\\d+)_(\\d+)\\.md5");
    private static final int BUFFER = 1 << 16;

    private final Path directory;
    private final boolean sendsToPeers;
    private volatile @Nullable SnapshotInfo latest;

    /// @param sendsToPeers whether a follower may ask for the files: only then are all of them
    ///   digested
    SnapshotFiles(Path directory, boolean sendsToPeers) throws IOException {
        this.directory = directory;
        this.sendsToPeers = sendsToPeers;
        this.latest = newest();
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
        Files.createDirectories(directory);
        var name = nameOf(at);
        var target = directory.resolve(name);
        var temporary = directory.resolve(name + ".tmp");
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
        latest = info;
        removeOlderThan(at);
        return info;
    }

    /// Opens the newest snapshot after checking it against its digest.
    InputStream open(SnapshotInfo snapshot) throws IOException {
        var file = directory.resolve(nameOf(snapshot.getTermIndex()));
        var expected = Files.readString(directory.resolve(file.getFileName() + ".md5")).strip();
        if (!HexFormat.of().formatHex(digestOf(file)).equals(expected)) {
            throw new DamagedLogException(file, "the snapshot does not match its checksum");
        }
        return new BufferedInputStream(Files.newInputStream(file), BUFFER);
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

    private void removeOlderThan(TermIndex kept) throws IOException {
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                var name = file.getFileName().toString();
                var version =
                        name.replaceFirst("^(snapshot|files)\\.", "")
                                .replaceFirst("\\.(md5|tmp)$", "");
                var current = kept.getTerm() + "_" + kept.getIndex();
                if (version.matches("\\d+_\\d+") && !version.equals(current)) {
                    deleteTree(file);
                }
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
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
                var at =
                        TermIndex.valueOf(
                                Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
                if (newest == null || at.compareTo(newest.getTermIndex()) > 0) {
                    var hash = HexFormat.of().parseHex(Files.readString(file).strip());
                    newest = info(at, directory.resolve(nameOf(at)), hash);
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
                for (var link : links.sorted().toList()) {
                    files.add(new FileInfo(link, MD5Hash.newInstance(digestOf(link))));
                }
            }
        }
        return new FileListSnapshotInfo(files, at);
    }

    private static byte[] digestOf(Path file) throws IOException {
        var digest = md5();
        try (var in =
                new DigestInputStream(
                        new BufferedInputStream(Files.newInputStream(file), BUFFER), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return digest.digest();
    }

    private static String nameOf(TermIndex at) {
        return "snapshot." + at.getTerm() + "_" + at.getIndex();
    }

    private void writeAtomically(Path target, String text) throws IOException {
        var temporary = target.resolveSibling(target.getFileName() + ".tmp");
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

    private static void sync(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
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
