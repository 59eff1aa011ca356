package dev.spur.agent.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.agent.cgroup.Cgroups;
import dev.spur.agent.step.FileReader;
import dev.spur.agent.step.Supervision;
import dev.spur.api.v1.OutputStart;
import dev.spur.api.v1.OutputTurn;
import dev.spur.api.v1.ReadOutputRequest;
import dev.spur.runtime.host.Users;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A job's output read by a real process in its owner's rights.
class FollowedFileTest {
    private static final int OWNER = Users.currentUid() == 0 ? 54321 : (int) Users.currentUid();

    @TempDir Path directory;
    private Supervision supervision;
    private SharedFiles files;
    private Path file;
    private final AtomicBoolean runs = new AtomicBoolean(true);

    @BeforeEach
    void begin() throws IOException {
        supervision = Supervision.in(directory.resolve("spool"), Cgroups.none());
        files = new SharedFiles(supervision.launcher()::read);
        file = directory.resolve("out");
    }

    @AfterEach
    void end() {
        supervision.close();
    }

    // ---- ranges ----

    @Test
    void theWholeFileIsRead() throws IOException {
        var large =
                IntStream.range(0, 50_000)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.joining("\n"));
        write(large);

        assertThat(read(ReadOutputRequest.newBuilder()).whole()).isEqualTo(large);
    }

    @Test
    void rangesOfBytesAndLines() throws IOException {
        write("one\ntwo\nthree\nfour\n");

        assertThat(read(from(OutputStart.newBuilder().setOffset(4)).setMostBytes(3)).whole())
                .isEqualTo("two");
        assertThat(read(from(OutputStart.newBuilder().setSkipLines(1)).setMostLines(2)).whole())
                .isEqualTo("two\nthree\n");
        assertThat(read(from(OutputStart.newBuilder().setLastLines(2))).whole())
                .isEqualTo("three\nfour\n");
        assertThat(read(from(OutputStart.newBuilder().setLastLines(9))).whole())
                .isEqualTo("one\ntwo\nthree\nfour\n");
        assertThat(read(from(OutputStart.newBuilder().setLastBytes(5))).whole())
                .isEqualTo("four\n");
        assertThat(read(from(OutputStart.newBuilder().setOffset(99))).whole()).isEmpty();
    }

    @Test
    void lastLinesOfAFileOfManyBlocks() throws IOException {
        write(
                IntStream.range(0, 40_000)
                        .mapToObj(i -> "line " + i + "\n")
                        .collect(Collectors.joining()));

        var last = read(from(OutputStart.newBuilder().setLastLines(20_000))).whole();

        assertThat(last).startsWith("line 20000\n").endsWith("line 39999\n");
    }

    // ---- following ----

    @Test
    void followerGetsWhatIsWrittenUntilTheStepEnds() throws IOException {
        write("first\n");
        var follower = read(following());
        follower.awaitText("first\n");

        append("second\n");
        follower.awaitText("first\nsecond\n");
        append("last words");
        runs.set(false);

        assertThat(follower.whole()).isEqualTo("first\nsecond\nlast words");
    }

    @Test
    void followerWaitsForAFileThatIsNotThereYet() throws IOException {
        var follower = read(following());
        follower.awaitTurn(OutputTurn.OUTPUT_MISSING);

        write("here it is\n");
        follower.awaitText("here it is\n");
        runs.set(false);

        assertThat(follower.whole()).isEqualTo("here it is\n");
    }

    /// The job goes on writing to the file that was renamed for a moment, as programs do.
    @Test
    void followerSeesEveryByteOnceThroughARotation() throws IOException {
        write("old 1\n");
        var follower = read(following());
        follower.awaitText("old 1\n");

        Files.move(file, directory.resolve("out.1"));
        Files.writeString(directory.resolve("out.1"), "old 2\n", StandardOpenOption.APPEND);
        write("new 1\n");
        Files.writeString(directory.resolve("out.1"), "old 3\n", StandardOpenOption.APPEND);
        follower.awaitText("old 1\nold 2\nold 3\nnew 1\n");
        append("new 2\n");
        follower.awaitText("new 2\n");
        runs.set(false);

        assertThat(follower.whole()).isEqualTo("old 1\nold 2\nold 3\nnew 1\nnew 2\n");
        assertThat(follower.turns()).containsExactly(OutputTurn.OUTPUT_REPLACED);
    }

    @Test
    void followerBeginsAnewWhenTheFileIsEmptied() throws IOException {
        write("a first attempt wrote this\n");
        var follower = read(following());
        follower.awaitText("this\n");

        write("and the next that\n");
        follower.awaitText("that\n");
        runs.set(false);

        assertThat(follower.whole()).isEqualTo("a first attempt wrote this\nand the next that\n");
        assertThat(follower.turns()).containsExactly(OutputTurn.OUTPUT_TRUNCATED);
    }

    @Test
    void whoComesBackGoesOnBehindWhatHeHad() throws IOException {
        write("one\ntwo\n");
        var first = read(from(OutputStart.newBuilder()).setMostBytes(4));
        assertThat(first.whole()).isEqualTo("one\n");
        append("three\n");

        var second = read(from(OutputStart.newBuilder().setPosition(first.next())));

        assertThat(second.whole()).isEqualTo("two\nthree\n");
        assertThat(second.turns()).isEmpty();
    }

    @Test
    void whoComesBackToAnotherFileIsToldSo() throws IOException {
        write("one\n");
        var first = read(from(OutputStart.newBuilder()));
        assertThat(first.whole()).isEqualTo("one\n");
        Files.move(file, directory.resolve("out.1"));
        write("new\n");

        var second = read(from(OutputStart.newBuilder().setPosition(first.next())));

        assertThat(second.whole()).isEqualTo("new\n");
        assertThat(second.turns()).containsExactly(OutputTurn.OUTPUT_REPLACED);
    }

    @Test
    void manyFollowersShareOneProcess() throws IOException {
        write("");
        var followers = IntStream.range(0, 200).mapToObj(_ -> read(following())).toList();
        followers.getLast().awaitStart();

        append("for all\n");
        followers.forEach(follower -> follower.awaitText("for all\n"));
        var processes = readers();
        runs.set(false);

        assertThat(followers).allSatisfy(each -> assertThat(each.whole()).isEqualTo("for all\n"));
        assertThat(processes).isEqualTo(1);
    }

    @Test
    void slowReaderHoldsUpNobody() throws IOException {
        write("x".repeat(1 << 20));
        var slow = Collected.stalled();
        start(following(), slow);
        var quick = read(following());
        quick.awaitLength(1 << 20);
        runs.set(false);

        assertThat(quick.whole()).hasSize(1 << 20);
        slow.cancel();
    }

    // ---- rights ----

    @Test
    void whatTheOwnerMayNotReadIsNotRead() throws IOException {
        onlyRootCanTryThat();
        write("secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

        assertThat(read(following()).refusal())
                .isEqualTo(Status.Code.PERMISSION_DENIED + ": " + file + ": Permission denied");
    }

    @Test
    void linkToWhatTheOwnerMayNotReadIsNotFollowed() throws IOException {
        onlyRootCanTryThat();
        var secret = directory.resolve("secret");
        Files.writeString(secret, "secret");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(file, secret);

        assertThat(read(following()).refusal()).endsWith("Permission denied");
    }

    /// The file is exchanged for the link while somebody follows it.
    @Test
    void linkThatAppearsInTheMiddleOpensNothing() throws IOException {
        onlyRootCanTryThat();
        var secret = directory.resolve("secret");
        Files.writeString(secret, "secret");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        write("mine\n");
        var follower = read(following());
        follower.awaitText("mine\n");

        var link = directory.resolve("link");
        Files.createSymbolicLink(link, secret);
        Files.move(link, file, StandardCopyOption.ATOMIC_MOVE);
        var late = read(following());
        assertThat(late.refusalOrText()).isNotEqualTo("secret");
        runs.set(false);

        assertThat(follower.whole()).isEqualTo("mine\n");
    }

    @Test
    void onlyRegularFilesAreRead() {
        file = Path.of("/dev/zero");
        assertThat(read(following()).refusal()).endsWith("/dev/zero: Not a regular file");
        file = directory;
        assertThat(read(following()).refusal()).endsWith("Is a directory");
        file = Path.of("/proc/self/mem");
        assertThat(read(following()).refusal()).contains("Permission denied");
    }

    @Test
    void withoutFollowingAMissingFileIsSaidToBeMissing() {
        assertThat(read(ReadOutputRequest.newBuilder()).refusal())
                .isEqualTo(Status.Code.NOT_FOUND + ": " + file + ": No such file or directory");
    }

    @Test
    void relativePathIsRefused() {
        file = Path.of("etc/passwd");

        assertThatThrownBy(
                        () -> {
                            var shared = files.join(user()).orElseThrow();
                            try {
                                shared.first();
                            } finally {
                                files.leave(shared);
                            }
                        })
                .hasMessageContaining("the path is not absolute");
    }

    private static void onlyRootCanTryThat() {
        assumeTrue(Users.currentUid() == 0, "not run as root: everything is one user's");
    }

    // ---- parts ----

    private static ReadOutputRequest.Builder following() {
        return ReadOutputRequest.newBuilder().setFollow(true);
    }

    private static ReadOutputRequest.Builder from(OutputStart.Builder start) {
        return ReadOutputRequest.newBuilder().setFrom(start);
    }

    private Collected read(ReadOutputRequest.Builder request) {
        var collected = new Collected();
        start(request, collected);
        return collected;
    }

    private void start(ReadOutputRequest.Builder request, Collected to) {
        new OutputCall(request.build(), user(), files, runs::get, to).begin(() -> {});
    }

    private FileReader.UserFile user() {
        return new FileReader.UserFile(OWNER, OWNER, List.of(OWNER), file.toString());
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    private void append(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    private long readers() {
        return ProcessHandle.allProcesses().filter(process -> isReaderOf(process.pid())).count();
    }

    private boolean isReaderOf(long pid) {
        try (var open = Files.list(Path.of("/proc/%d/fd".formatted(pid)))) {
            var name = Files.readString(Path.of("/proc/%d/comm".formatted(pid))).strip();
            return name.equals("spur-reader")
                    && open.anyMatch(fd -> {
                        try {
                            return Files.readSymbolicLink(fd).equals(file);
                        } catch (IOException _) {
                            return false;
                        }
                    });
        } catch (IOException | java.io.UncheckedIOException _) {
            return false; // it has ended, or is somebody else's
        }
    }
}
