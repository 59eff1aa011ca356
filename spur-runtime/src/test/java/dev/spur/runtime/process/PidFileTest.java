package dev.spur.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PidFileTest {
    @TempDir Path directory;

    @Test
    void secondDaemonIsToldWhoIsAlreadyThere() {
        var file = directory.resolve("spurctld.pid");
        var own = String.valueOf(ProcessHandle.current().pid());

        try (var _ = PidFile.take(file, "spurctld")) {
            assertThat(file).content().isEqualTo(own + "\n");
            assertThatThrownBy(() -> PidFile.take(file, "spurctld"))
                    .hasMessageContaining("already runs here (pid " + own);
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void fileLeftBehindByADeadProcessIsNoObstacle() throws IOException {
        var file = directory.resolve("spurctld.pid");
        Files.writeString(file, "4194303123\n");

        try (var _ = PidFile.take(file, "spurctld")) {
            assertThat(file).content().isEqualTo(ProcessHandle.current().pid() + "\n");
        }
    }
}
