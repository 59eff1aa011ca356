package dev.spur.controller.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.engine.state.RecordNumber;
import dev.spur.engine.state.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolGuardTest {
    @TempDir Path directory;

    private Spool spool;
    private Recording recording = Recording.NONE;
    private SpoolGuard guard;
    private long entry;

    @BeforeEach
    void open() throws IOException {
        spool = Spool.open(directory.resolve("spool"));
        guard = new SpoolGuard(spool, () -> recording, () -> 8L << 20);
    }

    @AfterEach
    void close() throws IOException {
        spool.close();
    }

    @Test
    void fromAQuarterOnPeopleAreWarnedAndJobsAreTaken() throws IOException {
        record(1);
        assertThat(guard.trouble()).isEmpty();

        record(1);

        assertThat(guard.trouble()).contains("2 MiB of accounting records wait");
        assertThatCode(guard::check).doesNotThrowAnyException();
    }

    @Test
    void whenItIsFullNoMoreJobsAreTakenUntilTheDatabaseIsBack() throws IOException {
        record(9);
        assertThatThrownBy(guard::check)
                .hasMessageContaining("no more jobs are taken until it is back");

        recording = recording.withStored(spool.last(), "db:6819");
        guard.look();

        assertThatCode(guard::check).doesNotThrowAnyException();
        assertThat(guard.trouble()).isEmpty();
    }

    @Test
    void whatWaitsIsNeverDropped() throws IOException {
        record(9);
        record(9);

        assertThat(spool.readBehind(RecordNumber.NONE).next(1 << 30).records()).hasSize(18);
    }

    /// Each in a file of its own, which can go alone.
    private void record(int mebibytes) throws IOException {
        for (var i = 0; i < mebibytes; i++) {
            spool.append(++entry, List.of(new byte[1 << 20]));
            spool.linkInto(Files.createDirectories(directory.resolve("snapshot" + entry)));
        }
        guard.look();
    }
}
