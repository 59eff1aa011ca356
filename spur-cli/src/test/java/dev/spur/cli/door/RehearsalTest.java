package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.cli.Tool;
import dev.spur.cli.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RehearsalTest {
    private static final List<String> NAMES = List.of("sbatch", "squeue", "sinfo", "scontrol");

    private final LinkedBlockingQueue<List<String>> called = new LinkedBlockingQueue<>();
    private @TempDir Path directory;
    private Door door;

    @BeforeEach
    void openDoor() throws Exception {
        var stub = StubProgram.built();
        var programs = Files.createDirectory(directory.resolve("bin"));
        for (var name : NAMES) {
            Files.copy(stub, programs.resolve(name));
        }
        Tool remembers =
                in -> {
                    called.add(Stream.concat(Stream.of(in.program()), in.args().stream()).toList());
                    return 1;
                };
        var tools =
                new Tools(
                        Map.copyOf(
                                NAMES.stream()
                                        .collect(Collectors.toMap(name -> name, _ -> remembers))));
        door = DoorServer.bind(DoorConfig.of(directory.resolve("door.sock"), tools)).open();
    }

    @AfterEach
    void closeDoor() {
        door.close();
    }

    @Test
    void commandsAreTriedAndNoneOfThemChangesAnything() throws Exception {
        try (var _ = Rehearsal.start(directory, door)) {
            for (var i = 0; i < 12; i++) {
                var words = called.poll(20, TimeUnit.SECONDS);
                assertThat(words).isNotNull();
                assertThat(String.join(" ", words))
                        .matches("sbatch --test-only .*|squeue|sinfo|scontrol show .*");
            }
        }
    }

    @Test
    void aDoorWithoutItsCommandsServesAsWell() throws IOException, InterruptedException {
        var empty = Files.createDirectory(directory.resolve("empty"));
        try (var rehearsal = Rehearsal.start(empty, door)) {
            rehearsal.awaitEnd();
            assertThat(called).isEmpty();
        }
    }

    @Test
    void aDoorThatClosesHasNoRehearsalAnyMore() throws Exception {
        var rehearsal = Rehearsal.start(directory, door);
        assertThat(called.poll(20, TimeUnit.SECONDS)).isNotNull();

        rehearsal.close();

        rehearsal.awaitEnd();
        assertThat(called).hasSizeLessThan(20); // of some hundred
    }
}
