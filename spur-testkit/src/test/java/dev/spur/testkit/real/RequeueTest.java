package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RequeueTest {
    private final RealCluster cluster = SharedCluster.get();

    /// A task that takes its time after TERM, under `srun` in a job that is requeued again and
    /// again: the next run begins when the last one has ended, and has a step of its own.
    @Test
    void jobThatIsRequeuedNeverRunsTwiceAtOnce() throws IOException {
        var writers = cluster.work().resolve("writers.txt");
        var task =
                script(
                        "writer.sh",
                        """
                        trap 'sleep 0.7; echo end $$ >> %1$s; exit 3' TERM
                        echo begin $$ >> %1$s
                        while :; do sleep 0.1; done
                        """
                                .formatted(writers));
        var id = submit("srun " + task);

        for (var run = 1; run <= 4; run++) {
            var begins = run;
            Eventually.until(
                    () -> lines(writers).filter("begin"::equals).count() == begins,
                    () -> "run %d has not begun: %s".formatted(begins, read(writers)));
            assertThat(cluster.run("scontrol", "requeue", id).exitCode()).isZero();
        }
        Eventually.until(
                () -> lines(writers).filter("begin"::equals).count() == 5,
                () -> "the last run has not begun: " + read(writers));
        cluster.run("scancel", id);

        var words = read(writers).stream().map(line -> line.split(" ", -1)).toList();
        for (var i = 0; i + 1 < words.size(); i += 2) {
            assertThat(words.get(i)[0]).isEqualTo("begin");
            assertThat(words.get(i + 1)).containsExactly("end", words.get(i)[1]);
        }
    }

    @Test
    void jobThatRequeuesItselfHearsThatItWasDone() throws IOException {
        var answers = cluster.work().resolve("requeue-answers.txt");

        var id =
                submit(
                        """
                        trap : TERM
                        if [ -z "$SLURM_RESTART_COUNT" ]; then
                            srun --overlap sh -c 'trap : TERM; scontrol requeue $SLURM_JOB_ID; echo task $? >> %1$s'
                            exit 0
                        fi
                        echo again >> %1$s
                        """
                                .formatted(answers));

        Eventually.until(() -> read(answers).contains("again"), () -> id + " did not run again");
        assertThat(read(answers)).containsExactly("task 0", "again");
    }

    @Test
    void jobThatCancelsItselfHearsThatItWasDone() throws IOException {
        var answers = cluster.work().resolve("scancel-answers.txt");

        var id =
                submit(
                        """
                        trap : TERM
                        scancel $SLURM_JOB_ID
                        echo script $? >> %s
                        """
                                .formatted(answers));

        Eventually.until(() -> !read(answers).isEmpty(), () -> id + " got no answer");
        assertThat(read(answers)).containsExactly("script 0");
    }

    private String submit(String commands) throws IOException {
        var script = script("requeued.sh", commands);
        var ran = cluster.run("sbatch", "--parsable", "-o", "/dev/null", script.toString());
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        return ran.out().strip();
    }

    private Path script(String name, String commands) throws IOException {
        var script = cluster.work().resolve(name);
        Files.writeString(script, "#!/bin/bash\n" + commands + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    /// The first word of each line.
    private static Stream<String> lines(Path file) {
        return read(file).stream().map(line -> line.split(" ", -1)[0]);
    }

    private static List<String> read(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
