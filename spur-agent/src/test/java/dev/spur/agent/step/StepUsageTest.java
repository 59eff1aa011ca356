package dev.spur.agent.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.agent.cgroup.Cgroups;
import dev.spur.api.v1.StepOfJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// What the C supervisor counts of the processes of a step, with real ones.
@EnabledIf(
        value = "dev.spur.agent.step.SupervisedStepTest#isRoot",
        disabledReason = "needs root, to run tasks as another user")
final class StepUsageTest {
    private static final int MEBIBYTES = 200;
    private static final long SECOND = 1_000_000;

    /// Memory that is written to, so that it is there.
    private static final String ALLOCATE = "my $x = q(); vec($x, (200 << 20) - 1, 8) = 1; ";

    private static final String BURN = "while ((times)[0] < 1) {} ";

    @TempDir Path directory;
    private Supervision supervision;

    @BeforeEach
    void open() {
        supervision = Supervision.in(directory.resolve("spool"), Cgroups.none());
    }

    @AfterEach
    void close() {
        supervision.close();
    }

    private static void isAbout200Mebibytes(long kibibytes) {
        assertThat(kibibytes).isBetween(MEBIBYTES * 1024L, (MEBIBYTES + 40) * 1024L);
    }

    /// Which is in the way of what this test waits for, and takes the same time on any machine.
    private Path fifo() throws Exception {
        return fifo("fifo");
    }

    private Path fifo(String name) throws Exception {
        var fifo = directory.resolve(name);
        var made = new ProcessBuilder("mkfifo", "-m", "666", fifo.toString()).start();
        assertThat(made.waitFor()).isZero();
        return fifo;
    }

    @Test
    void stepThatWasNeverLookedAtTellsItsMemoryAndProcessorTime() throws Exception {
        var status = supervision.run(StepPlans.command("perl", "-e", ALLOCATE + BURN).plan());

        var usage = StepUsages.of(status);
        isAbout200Mebibytes(usage.getMaxRssKb());
        assertThat(usage.getUserMicros()).isBetween(SECOND, 2 * SECOND);
        assertThat(usage.getAveCpuMicros())
                .isEqualTo(usage.getUserMicros() + usage.getSystemMicros());
        assertThat(usage.getTasks()).isEqualTo(1);
        assertThat(usage.getGpuMeasured()).isFalse();
    }

    @Test
    void taskThatUsesMostIsNamedAndTheOneThatUsesLeast() throws Exception {
        var busy = "if ($ENV{SLURM_PROCID} == 1) { %s }".formatted(ALLOCATE + BURN);
        var status = supervision.run(StepPlans.command("perl", "-e", busy).tasks(3).plan());

        var usage = StepUsages.of(status);
        isAbout200Mebibytes(usage.getMaxRssKb());
        assertThat(usage.getMaxRssTask()).isEqualTo(1);
        assertThat(usage.getMinCpuTask()).isIn(0, 2);
        assertThat(usage.getMinCpuMicros()).isLessThan(usage.getAveCpuMicros());
        assertThat(usage.getAveCpuMicros())
                .isEqualTo((usage.getUserMicros() + usage.getSystemMicros()) / 3);
        assertThat(usage.getTotalRssKb()).isGreaterThan(usage.getMaxRssKb());
        assertThat(usage.getAveRssKb()).isEqualTo(usage.getTotalRssKb() / 3);
    }

    @Test
    void bytesReadAndWrittenAreCountedToTheLastOfAShortStep() throws Exception {
        var status =
                supervision.run(
                        StepPlans.script("head -c 3000000 /dev/zero >" + directory.resolve("file"))
                                .outputTo(directory.resolve("out"))
                                .plan());

        var usage = StepUsages.of(status);
        assertThat(usage.getMaxReadBytes()).isBetween(3_000_000L, 3_200_000L);
        assertThat(usage.getMaxWriteBytes()).isBetween(3_000_000L, 3_200_000L);
    }

    @Test
    void whatAnOrphanUsedIsItsTasks() throws Exception {
        var fifo = fifo();
        var status =
                supervision.run(
                        StepPlans.script(
                                        "( (perl -e '%s'; echo over >%s) & ); read word <%s"
                                                .formatted(BURN, fifo, fifo))
                                .plan());

        assertThat(StepUsages.of(status).getUserMicros()).isBetween(SECOND, 2 * SECOND);
    }

    /// Says by the pipe that it has its memory, and keeps it.
    private static String holding(Path fifo) {
        return "perl -e '"
                + ALLOCATE
                + "open(F, q(>), q(%s)); close F; sleep 1000'".formatted(fifo);
    }

    @Test
    void runningStepTellsWhatAllItsProcessesUseTogether() throws Exception {
        var one = fifo("one");
        var other = fifo("other");
        var step =
                supervision.start(
                        StepPlans.script("%s & %s & wait".formatted(holding(one), holding(other)))
                                .plan());
        Files.readString(one);
        Files.readString(other);

        var usage = StepUsages.of(step.step().usage().get(30, TimeUnit.SECONDS));

        assertThat(usage.getMaxRssKb()).isBetween(400L << 10, 460L << 10);
        assertThat(usage.getMaxVmsizeKb()).isGreaterThan(400L << 10);
    }

    @Test
    void processesOfARunningStepAreListed() throws Exception {
        var fifo = fifo();
        var step =
                supervision.start(
                        StepPlans.script("sleep 1000 & echo $$ $! >%s; wait".formatted(fifo))
                                .plan());
        var pids = Files.readString(fifo).strip().split(" ", -1);

        var status = step.step().usage().get(30, TimeUnit.SECONDS);

        assertThat(StepUsages.of(StepOfJob.getDefaultInstance(), status, true).getPidsList())
                .contains(Long.valueOf(pids[0]), Long.valueOf(pids[1]));
    }

    @Test
    void memoryThatWasGivenBackStillCounts() throws Exception {
        var fifo = fifo();
        var step =
                supervision.start(
                        StepPlans.command(
                                        "perl",
                                        "-e",
                                        "my $x = q(); { vec($x, (200 << 20) - 1, 8) = 1; } "
                                                + "open(F, q(>), q(%s)); close F; ".formatted(fifo)
                                                + "open(F, q(<), q(%s)); <F>; ".formatted(fifo)
                                                + "undef $x; open(F, q(>), q(%s)); close F; "
                                                        .formatted(fifo)
                                                + "sleep 1000")
                                .plan());
        Files.readString(fifo);
        isAbout200Mebibytes(most(step));
        Files.writeString(fifo, "give it back\n");
        Files.readString(fifo);

        isAbout200Mebibytes(most(step));
    }

    private static long most(Supervision.Watched step) throws Exception {
        return StepUsages.of(step.step().usage().get(30, TimeUnit.SECONDS)).getMaxRssKb();
    }

    @Test
    void stepThatHasEndedIsNotAskedForLong() throws Exception {
        var step = supervision.start(StepPlans.script("true").plan());
        step.await(StepStatus::hasEnded);
        step.step().dismiss();
        supervision.lastReader().join();

        assertThatThrownBy(() -> step.step().usage().get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(StepGoneException.class);
    }
}
