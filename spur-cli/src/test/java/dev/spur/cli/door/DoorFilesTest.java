package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.UserFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Files are read and written by the caller's own process.
@Timeout(60)
final class DoorFilesTest extends DoorFixture {
    @Test
    void readsFilesThatOnlyTheCallerMayRead() throws Exception {
        assumeRoot();
        // The reverse of production, where the door may read less than its callers: here it may
        // read all,
        // so what counts is that the caller's own rights decide.
        var secret = Files.writeString(directory.resolve("secret"), "of root");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        serve(
                "cat",
                in -> {
                    in.out().write(in.files().read(in.args().getFirst(), MEBIBYTE));
                    return 0;
                });

        assertThat(StubProgram.call(socket, "cat", secret.toString()).text()).isEqualTo("of root");
        var denied =
                StubProgram.shell(
                        socket, "setpriv --reuid 4711 --clear-groups $spur cat " + secret);
        assertThat(denied.errors()).isEqualTo("cat: error: " + secret + ": Permission denied\n");
        assertThat(denied.exitCode()).isEqualTo(1);
    }

    @Test
    void readsFilesRelativeToTheCallersDirectoryAndItsOwnDescriptors() throws Exception {
        serve(
                "cat",
                in -> {
                    in.out().write(in.files().read(in.args().getFirst(), MEBIBYTE));
                    return 0;
                });
        Files.write(directory.resolve("script"), new byte[700_000]);

        assertThat(StubProgram.shell(socket, "cd " + directory + "; $spur cat script").output())
                .hasSize(700_000);
        assertThat(StubProgram.shell(socket, "$spur cat <(echo inline)").text())
                .isEqualTo("inline\n");
        assertThat(StubProgram.call(socket, "cat", "/nowhere").errors())
                .isEqualTo("cat: error: /nowhere: No such file or directory\n");
        assertThat(StubProgram.call(socket, "cat", "/dev/zero").errors())
                .isEqualTo("cat: error: /dev/zero: File too large\n");
        assertThat(StubProgram.call(socket, "cat", "/").errors())
                .isEqualTo("cat: error: /: Is a directory\n");
    }

    @Test
    void writesFilesAsTheCaller() throws Exception {
        serve(
                "write",
                in -> {
                    for (int i = 0; i < 2; i++) {
                        try (var file =
                                in.files()
                                        .write(in.args().getFirst(), UserFiles.WriteMode.APPEND)) {
                            file.write("line\n".repeat(100_000).getBytes(StandardCharsets.UTF_8));
                        }
                    }
                    return 0;
                });
        var target = directory.resolve("out");

        var told = StubProgram.shell(socket, "umask 077; $spur write " + target);

        assertThat(told.exitCode()).isZero();
        assertThat(Files.readString(target)).isEqualTo("line\n".repeat(200_000));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rw-------");
    }

    @Test
    void tellsWhenAFileCouldNotBeWritten() throws Exception {
        serve(
                "write",
                in -> {
                    try (var file = in.files().write("/dev/full", UserFiles.WriteMode.TRUNCATE)) {
                        file.write('x');
                    }
                    return 0;
                });

        assertThat(StubProgram.call(socket, "write").errors())
                .isEqualTo("write: error: /dev/full: No space left on device\n");
    }
}
