package dev.spur.cli.sacct;

import static dev.spur.cli.testing.RecordedHistory.job;
import static dev.spur.cli.testing.RecordedHistory.of;
import static dev.spur.cli.testing.RecordedHistory.step;
import static dev.spur.cli.testing.RecordedJobs.micros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepUsage;
import dev.spur.cli.testing.RecordedCluster;
import dev.spur.cli.testing.RecordedHistory;
import dev.spur.cli.testing.Recording;
import dev.spur.model.StepId;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SacctTest {
    private final RecordedHistory history = new RecordedHistory();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sacct_j",
                "sacct_array",
                "sacct_bad_field",
                "sacct_bad_job",
                "sacct_batch_script"
            })
    void printsWhatSlurmPrinted(String name) throws IOException {
        history.stored(hello()).known(array());
        var recording = Recording.of(name);

        try (var cluster = new Accounted()) {
            assertThat(cluster.run(Sacct::new, cluster.call(recording)))
                    .isEqualTo(recording.output() + "[exit " + recording.exitCode() + "]");
        }
    }

    @Test
    void jobIsThereAsSoonAsTheControllerHasIt() throws IOException {
        history.stored(of(job(7, "old", "COMPLETED"))).known(of(job(8, "new", "PENDING")));

        assertThat(output("-Xn", "-P", "-o", "jobid,state"))
                .isEqualTo("7|COMPLETED\n8|PENDING\n[exit 0]");
    }

    @Test
    void theControllersWordCountsForAJobThatBothKnow() throws IOException {
        var running = job(7, "job", "RUNNING").setEndMicros(0);
        var ended = job(7, "job", "COMPLETED");
        history.stored(of(running, step(running, new StepId(0), "first")))
                .known(of(ended, step(ended, StepId.BATCH, "batch")));

        assertThat(output("-n", "-P", "-o", "jobid,state"))
                .isEqualTo("7|COMPLETED\n7.batch|COMPLETED\n7.0|RUNNING\n[exit 0]");
    }

    @Test
    void withoutTheDatabaseItShowsWhatTheControllerKnowsAndSaysSo() throws IOException {
        history.withoutDatabase().known(of(job(8, "new", "PENDING")));

        assertThat(output("-Xn", "-P", "-o", "jobid"))
                .startsWith("sacct: the accounting service does not answer")
                .contains("Only jobs that the controller still knows are shown.")
                .endsWith("8\n[exit 0]");
    }

    @Test
    void onlyTheLastRunOfARequeuedJobIsShownUnlessAllAreAskedFor() throws IOException {
        history.stored(of(job(7, "job", "REQUEUED")), of(job(7, "job", "COMPLETED").setAttempt(1)));

        assertThat(output("-Xn", "-P", "-o", "state")).isEqualTo("COMPLETED\n[exit 0]");
        assertThat(output("-XnD", "-P", "-o", "state")).isEqualTo("REQUEUED\nCOMPLETED\n[exit 0]");
    }

    @Test
    void whoCancelledAJobIsTold() throws IOException {
        history.stored(of(job(4, "sleeper", "CANCELLED").setCancelledBy(1002)));

        assertThat(output("-Xn", "-P", "-o", "state")).isEqualTo("CANCELLED by 1002\n[exit 0]");
        assertThat(output("-Xn", "-o", "state")).isEqualTo("CANCELLED+ \n[exit 0]");
    }

    @ParameterizedTest
    @CsvSource({"'', 1536K", "--units=M, 1.50M", "--units=K, 1536K", "--noconvert, 1536K"})
    void sizesAreInTheUnitThatIsAskedFor(String option, String shown) throws IOException {
        var job = job(7, "job", "COMPLETED");
        history.stored(
                of(
                        job,
                        step(job, new StepId(0), "step")
                                .setUsage(StepUsage.newBuilder().setMaxRssKb(1536))));

        assertThat(output("-n", "-P", "-o", "maxrss", "-j", "7", option.isEmpty() ? "-D" : option))
                .isEqualTo("\n" + shown + "\n[exit 0]");
    }

    @ParameterizedTest
    @CsvSource({"alloc, AllocCPUS", "TIME, Timelimit", "jobidraw, JobIDRaw", "reqt, ReqTRES"})
    void fieldsAreKnownByTheBeginningOfTheirNames(String written, String heading)
            throws IOException {
        assertThat(output("-P", "-o", written)).isEqualTo(heading + "\n[exit 0]");
    }

    @Test
    void withoutAWindowItBeginsAtMidnightAndEndsNow() throws IOException {
        output("-X");

        assertThat(window()).isEqualTo("2026-11-15T00:00:00Z to 2026-11-15T18:49:51Z of 1002");
    }

    @Test
    void whoNamesJobsMeansThemWheneverTheyWereAndWhoseverTheyAre() throws IOException {
        output("-X", "-j", "7");

        assertThat(window()).isEqualTo("1970-01-01T00:00:00Z to 2026-11-15T18:49:51Z of anybody");
    }

    @Test
    void whoNamesStatesMeansNow() throws IOException {
        output("-X", "-s", "R,pd");

        assertThat(window()).isEqualTo("2026-11-15T18:49:51Z to 2026-11-15T18:49:51Z of 1002");
        assertThat(history.asked().getStatesList()).containsExactly("RUNNING", "PENDING");
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01-00:00:01, 1970-01-01T00:00:01Z",
        "now-7days,           2026-11-08T18:49:51Z",
        "20:00,               2026-11-14T20:00:00Z",
        "2026-11-15T10:00,    2026-11-15T10:00:00Z",
    })
    void timesMayBeWrittenAsPeopleAndProgramsDo(String written, String meant) throws IOException {
        output("-X", "-S", written);

        assertThat(Instant.ofEpochSecond(history.asked().getFromMicros() / 1_000_000))
                .hasToString(meant);
    }

    @Test
    void jobOfTheSameSecondIsInTheWindow() throws IOException {
        try (var cluster = new Accounted(RecordedCluster.RECORDED.plusMillis(250))) {
            cluster.run(Sacct::new, cluster.call("sacct", "-X"));
        }

        assertThat(history.asked().getUntilMicros() % 1_000_000).isEqualTo(250_000);
    }

    @Test
    void windowThatEndsBeforeItBeginsIsAnError() throws IOException {
        assertThat(output("-S", "now", "-E", "now-1hour"))
                .matches(
                        "sacct: error: Start time \\([-0-9T:]{19}\\) requested is after end time \\([-0-9T:]{19}\\)\\.\n\\[exit 1]");
    }

    @Test
    void jobsThatWereGivenInSeveralOptionsAreOneList() throws IOException {
        output("-j", "7", "-j", "40_[1,3],9.batch");

        assertThat(history.asked().getIdsList()).containsExactly("7", "40_[1,3]", "9.batch");
    }

    private String window() {
        RecordQuery query = history.asked();
        return "%s to %s of %s"
                .formatted(
                        Instant.ofEpochSecond(query.getFromMicros() / 1_000_000),
                        Instant.ofEpochSecond(query.getUntilMicros() / 1_000_000),
                        query.getUsersCount() == 0 ? "anybody" : query.getUsers(0));
    }

    private String output(String... arguments) throws IOException {
        try (var cluster = new Accounted()) {
            return cluster.run(Sacct::new, cluster.call("sacct", arguments));
        }
    }

    /// The first job of the recording.
    private static JobHistory hello() {
        var job =
                job(1, "hello", "COMPLETED")
                        .setAllocCpus(2)
                        .setEndMicros(micros("2026-11-15T18:48:15"));
        return of(
                job,
                step(job, StepId.BATCH, "batch").setUsage(used(20_900)),
                step(job, new StepId(0), "hostname")
                        .setTasks(2)
                        .setEndMicros(micros("2026-11-15T18:48:14"))
                        .setUsage(used(2_500)),
                step(job, new StepId(1), "mystep").setUsage(used(1_900)));
    }

    private static StepUsage used(int micros) {
        return StepUsage.newBuilder().setUserMicros(micros).build();
    }

    private static JobHistory[] array() {
        return new JobHistory[] {
            of(
                    job(40, "arr", "PENDING")
                            .setArrayJobId(40)
                            .setArrayPending("3-4,6-10%2")
                            .setSubmitMicros(40)),
            of(job(41, "arr", "RUNNING").setArrayJobId(40).setArrayTaskId(1).setSubmitMicros(40)),
            of(job(42, "arr", "RUNNING").setArrayJobId(40).setArrayTaskId(2).setSubmitMicros(40)),
        };
    }

    /// The recorded cluster, with accounting.
    private final class Accounted extends RecordedCluster {
        Accounted() throws IOException {
            this(RECORDED);
        }

        Accounted(Instant now) throws IOException {
            super(now, List.of(history.history(), history.accounts()));
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingReply> reply) {
            answer(reply, PingReply.newBuilder().setAccountingAddress(address()).build());
        }
    }
}
