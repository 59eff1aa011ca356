package dev.spur.cli.door;

import static org.assertj.core.api.Assumptions.assumeThat;

import dev.spur.cli.Tool;
import dev.spur.cli.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A door with a few tools, and the program that users call, for tests of what is between them.
abstract class DoorFixture {
    static final int MEBIBYTE = 1 << 20;

    final Map<String, Tool> tools = new LinkedHashMap<>();
    final CountDownLatch cancelled = new CountDownLatch(1);
    final CountDownLatch started = new CountDownLatch(1);
    @TempDir Path directory;
    Path socket;
    Door door;

    @BeforeAll
    static void buildStub() throws Exception {
        StubProgram.built();
    }

    @BeforeEach
    void openDoor() throws IOException {
        socket = directory.resolve("door.sock");
        // Other users in these tests come through here.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        tools.put("exit", in -> Integer.parseInt(in.args().getFirst()));
        tools.put(
                "tell",
                in -> {
                    in.out().println(in.program() + " " + in.args());
                    in.out().println(in.workingDirectory() + " %04o".formatted(in.umask()));
                    in.out()
                            .println(
                                    in.environment("COLOUR")
                                            + " "
                                            + in.zone()
                                            + " "
                                            + in.charset());
                    in.out()
                            .println(
                                    in.caller().uid()
                                            + " "
                                            + in.caller().gid()
                                            + " "
                                            + in.caller().groups());
                    return 0;
                });
        tools.put(
                "wait",
                in -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        cancelled.countDown();
                        throw e;
                    }
                    return 0;
                });
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools))).open();
    }

    @AfterEach
    void closeDoor() {
        door.close();
    }

    void reopen(DoorLimits limits) throws IOException {
        door.close();
        door = DoorServer.bind(DoorConfig.of(socket, new Tools(tools)).with(limits)).open();
    }

    void serve(String name, Tool tool) throws IOException {
        tools.put(name, tool);
        reopen(DoorLimits.DEFAULTS);
    }

    static void assumeRoot() {
        assumeThat(System.getProperty("user.name"))
                .as("needs root to act as other users")
                .isEqualTo("root");
    }
}
