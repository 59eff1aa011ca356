package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.Failure;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class DoorTest extends DoorFixture {
    /// Commands have no time.
    private static final DoorLimits HURRIED =
            new DoorLimits(
                    9,
                    9,
                    MEBIBYTE,
                    MEBIBYTE,
                    MEBIBYTE,
                    MEBIBYTE,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(100));

    @Test
    void exitsWithTheToolsCode() throws Exception {
        assertThat(StubProgram.call(socket, "exit", "42").exitCode()).isEqualTo(42);
        assertThat(StubProgram.call(socket, "exit", "0").exitCode()).isZero();
    }

    @Test
    void passesOnWhatTheCallerIs() throws Exception {
        var told =
                StubProgram.shell(
                        socket,
                        "cd /usr; umask 027; export COLOUR=grün TZ=Europe/Berlin LC_ALL=C.UTF-8; ln -s $spur %s/tell; %s/tell 'a b' ''"
                                .formatted(directory, directory));

        assertThat(told.errors()).isEmpty();
        assertThat(told.text()).startsWith("tell [a b, ]\n/usr 0027\ngrün Europe/Berlin UTF-8\n");
    }

    @Test
    void knowsTheCallersNumbersFromTheKernel() throws Exception {
        assumeRoot();

        var told =
                StubProgram.shell(
                        socket, "setpriv --reuid 4711 --regid 4712 --groups 10,20 $spur tell");

        // The door belongs to root, so any user may trust it.
        assertThat(told.text()).endsWith("4711 4712 [10, 20]\n");
    }

    @Test
    void passesOnALargeEnvironment() throws Exception {
        serve(
                "size",
                in -> {
                    var value = in.environment("LARGE");
                    in.out().println(value == null ? "none" : Integer.toString(value.length()));
                    return 0;
                });

        var told =
                StubProgram.shell(
                        socket,
                        "export LARGE=$(head -c 120000 /dev/zero | tr '\\0' x); $spur size");

        assertThat(told.text()).isEqualTo("120000\n");
    }

    @Test
    void reportsFailuresInTheToolsName() throws Exception {
        serve(
                "scold",
                _ -> {
                    throw new Failure(7, "not like this.\nTry otherwise.");
                });

        var told = StubProgram.call(socket, "scold");

        assertThat(told.exitCode()).isEqualTo(7);
        assertThat(told.errors()).isEqualTo("scold: error: not like this.\nTry otherwise.\n");
    }

    @Test
    void refusesMoreCommandsThanOneUserMayRun() throws Exception {
        reopen(
                new DoorLimits(
                        1,
                        10,
                        MEBIBYTE,
                        MEBIBYTE,
                        MEBIBYTE,
                        MEBIBYTE,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(1)));
        var first = StubProgram.command(socket, List.of("$spur", "wait")).start();
        started.await();

        var second = StubProgram.call(socket, "exit", "0");

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.errors()).contains("too many commands");
        first.destroyForcibly();
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void givesUpOnACommandThatTakesTooLong() throws Exception {
        reopen(HURRIED);

        var told = StubProgram.call(socket, "wait");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.errors()).startsWith("wait: error: gave up after");
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void doesNotCountTheTimeThatTheCallerTakesToType() throws Exception {
        tools.put("read", in -> in.input().readAllBytes().length);
        reopen(HURRIED);
        var process = StubProgram.command(socket, List.of("$spur", "read")).start();

        assertThat(process.waitFor(3, TimeUnit.SECONDS)).isFalse();
        process.outputWriter().append("seven..").close();

        assertThat(process.waitFor()).isEqualTo(7);
    }

    @Test
    void doesNotTrustTheDoorOfAnotherUser() throws Exception {
        assumeRoot();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        var foreign = directory.resolve("foreign.sock");
        var listener =
                StubProgram.command(
                                foreign,
                                List.of(
                                        "setpriv",
                                        "--reuid",
                                        "4711",
                                        "--clear-groups",
                                        "perl",
                                        "-MIO::Socket::UNIX",
                                        "-e",
                                        "my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1); $|=1; print qq(up); $s->accept",
                                        foreign.toString()))
                        .start();
        assertThat(listener.getInputStream().readNBytes(2)).hasSize(2);

        var told = StubProgram.call(foreign, "exit", "0");

        listener.destroyForcibly();
        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.errors()).contains("runs as uid 4711");
    }
}
