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

    @Test
    void nobodyHoldsAFileThatIsMissingOrWhoseProcessIsDead() throws IOException {
        var file = directory.resolve("cluster.pid");
        assertThat(PidFile.heldBy(file)).isEmpty();

        Files.writeString(file, ProcessHandle.current().pid() + "\n");
        assertThat(PidFile.heldBy(file)).isEmpty();
    }

    @Test
    void holderIsFoundByItsLockAndGoneWithIt() throws Exception {
        var file = directory.resolve("cluster.pid");
        var holder =
                new ProcessBuilder(
                                "python3",
                                "-c",
                                """
                                import fcntl, os, sys
                                file = open(sys.argv[1], 'w')
                                fcntl.lockf(file, fcntl.LOCK_EX)
                                print(os.getpid(), file=file, flush=True)
                                print('held', flush=True)
                                sys.stdin.read()
                                """,
                                file.toString())
                        .start();
        try (var said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("held");
            assertThat(PidFile.heldBy(file)).hasValue(holder.pid());
        } finally {
            holder.destroyForcibly().waitFor();
        }

        assertThat(PidFile.heldBy(file)).isEmpty();
    }
}
