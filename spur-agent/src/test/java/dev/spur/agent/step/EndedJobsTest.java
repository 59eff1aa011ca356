package dev.spur.agent.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EndedJobsTest {
    @TempDir Path directory;
    private Path file;
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");

    @BeforeEach
    void inADirectory() {
        file = directory.resolve("ended-jobs");
    }

    private EndedJobs open() {
        return EndedJobs.open(file, () -> now);
    }

    @Test
    void jobsThatHaveEndedAreKnownToTheNextLifeOfTheAgent() {
        var first = open();
        end(first, 7, 2);
        end(first, -1, 0);
        first.save();

        var next = open();

        assertThat(next.contains(new JobAttempt(7, 2))).isTrue();
        assertThat(next.contains(new JobAttempt(7, 1))).isTrue();
        assertThat(next.contains(new JobAttempt(7, 3))).isFalse();
        assertThat(next.contains(new JobAttempt(-1, 0))).isTrue();
    }

    @Test
    void lineThatACrashToreSaysNothing() throws Exception {
        var first = open();
        end(first, 7, 2);
        first.save();
        Files.writeString(file, "8 0", StandardOpenOption.APPEND);

        var next = open();
        end(next, 9, 0);
        next.save();

        assertThat(Files.readString(file)).isEqualTo("7 2 1794744000000\n9 0 1794744000000\n");
    }

    @Test
    void howeverManyEndInHalfAnHourNoneIsForgotten() {
        var ended = open();
        for (var job = 1; job <= 50_000; job++) {
            end(ended, job, 0);
        }
        ended.save();

        assertThat(ended.contains(new JobAttempt(1, 0))).isTrue();
        assertThat(open().contains(new JobAttempt(1, 0))).isTrue();
    }

    @Test
    void jobsThatEndedLongAgoMakeRoom() throws Exception {
        var ended = open();
        for (var job = 1; job <= 50_000; job++) {
            end(ended, job, 0);
            now = now.plusSeconds(1);
            if (job % 1_000 == 0) {
                ended.save();
            }
        }

        assertThat(ended.contains(new JobAttempt(1, 0))).isFalse();
        try (var lines = Files.lines(file)) {
            assertThat(lines).hasSizeLessThan(31_000);
        }
    }

    @Test
    void whatADiskDidNotTakeItGetsLater() throws Exception {
        file = directory.resolve("not-yet").resolve("ended-jobs");
        var ended = open();
        end(ended, 7, 2);
        ended.save();
        assertThat(ended.isSaved()).isFalse();

        Files.createDirectory(file.getParent());
        ended.force();

        assertThat(ended.isForced()).isTrue();
        assertThat(open().contains(new JobAttempt(7, 2))).isTrue();
    }

    private static void end(EndedJobs jobs, int job, int attempt) {
        jobs.add(new JobAttempt(job, attempt), _ -> false);
    }
}
