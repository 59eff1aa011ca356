package dev.spur.accounting.job;

import static dev.spur.accounting.Told.CLUSTER;
import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.ended;
import static dev.spur.accounting.Told.job;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.spur.accounting.TestDatabase;
import dev.spur.accounting.Told;
import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.archive.JobArchive;
import dev.spur.accounting.archive.Purge;
import dev.spur.accounting.archive.Retention;
import dev.spur.accounting.archive.RowArchive;
import dev.spur.accounting.ingest.RecordStore;
import dev.spur.accounting.usage.RollUp;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.StoredFile;
import dev.spur.model.SpurException;
import dev.spur.runtime.config.KeptFor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobHistoryTest {
    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final Viewer ROOT = new Viewer(0, "root", Viewer.Level.ADMIN, Set.of(), true);
    private static final Viewer ALICE =
            new Viewer(1001, "alice", Viewer.Level.USER, Set.of(), false);
    private static final Viewer BOB = new Viewer(1002, "bob", Viewer.Level.USER, Set.of(), false);
    private static final Viewer COORDINATOR =
            new Viewer(1003, "carol", Viewer.Level.USER, Set.of("physics"), false);

    private final Told told = new Told();
    private Instant now = NOON.plusSeconds(86_400);
    private final Months months = new Months(DATABASE.jdbi());
    private final JobHistoryListing listing = new JobHistoryListing(DATABASE.jdbi(), () -> now);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.empty();
    }

    private void store() {
        new RecordStore(DATABASE.jdbi(), months, () -> now, CLUSTER).store(told.all());
    }

    private void sumUp() {
        new RollUp(DATABASE.jdbi(), () -> now).run();
    }

    private List<JobHistory> list(RecordQuery.Builder query, Viewer viewer) {
        var replies = new ArrayList<ListJobHistoryReply>();
        listing.list(
                ListJobHistoryRequest.newBuilder().setQuery(query).build(), viewer, replies::add);
        return replies.stream().flatMap(reply -> reply.getJobsList().stream()).toList();
    }

    private List<Integer> ids(RecordQuery.Builder query, Viewer viewer) {
        return list(query, viewer).stream().map(job -> job.getJob().getJobId()).toList();
    }

    @Test
    void usersSeeTheirOwnJobsCoordinatorsThoseOfTheirAccountsAndOperatorsAll() {
        told.job(NOON, job(1))
                .job(NOON, job(2).setUid(1002).setUserName("bob").setAccount("chemistry"));
        store();

        assertThat(ids(RecordQuery.newBuilder(), ALICE)).containsExactly(1);
        assertThat(ids(RecordQuery.newBuilder(), BOB)).containsExactly(2);
        assertThat(ids(RecordQuery.newBuilder(), COORDINATOR)).containsExactly(1);
        assertThat(ids(RecordQuery.newBuilder(), ROOT)).containsExactly(1, 2);
        assertThat(ids(RecordQuery.newBuilder().addUsers("alice"), BOB)).isEmpty();
    }

    @Test
    void ofARequeuedJobTheLastAttemptIsShownUnlessAllAreAskedFor() {
        told.job(NOON, job(1).setState("REQUEUED").setEndMicros(Told.micros(NOON.plusSeconds(5))))
                .job(NOON, job(1).setAttempt(2));
        store();

        assertThat(list(RecordQuery.newBuilder().addIds("1"), ALICE))
                .extracting(each -> each.getJob().getAttempt())
                .containsExactly(2);
        assertThat(list(RecordQuery.newBuilder().addIds("1").setDuplicates(true), ALICE))
                .hasSize(2);
    }

    @Test
    void tasksComeInTheirOrderAndThoseThatWaitLast() {
        told.job(NOON, job(40).setArrayJobId(40).setArrayPending("3-10"))
                .job(NOON, job(42).setArrayJobId(40).setArrayTaskId(1))
                .job(NOON, job(41).setArrayJobId(40).setArrayTaskId(2))
                .job(NOON, job(39));
        store();

        assertThat(ids(RecordQuery.newBuilder(), ROOT)).containsExactly(39, 42, 41, 40);
        assertThat(ids(RecordQuery.newBuilder().addIds("40"), ROOT)).containsExactly(42, 41, 40);
    }

    @Test
    void stepsComeWithTheirJobBatchFirst() {
        told.job(NOON, job(1)).add(NOON, step(1, 0)).add(NOON, step(1, -5)).add(NOON, step(2, 0));
        store();

        assertThat(list(RecordQuery.newBuilder().setSteps(true), ROOT).getFirst().getStepsList())
                .extracting(StepRecord::getStepId)
                .containsExactly(-5, 0);
        assertThat(list(RecordQuery.newBuilder(), ROOT).getFirst().getStepsList()).isEmpty();
    }

    private static Record.Builder step(int job, int step) {
        return Record.newBuilder()
                .setStep(
                        StepRecord.newBuilder()
                                .setJobId(job)
                                .setSubmitMicros(Told.micros(NOON))
                                .setAttempt(1)
                                .setStepId(step));
    }

    @Test
    void whoAsksForStepsOfNoJobIsAnsweredWithNone() {
        told.job(NOON, job(1));
        store();

        assertThat(list(RecordQuery.newBuilder().addIds("7").setSteps(true), ROOT)).isEmpty();
    }

    @Test
    void aReplySaysHowFarTheDatabaseIs() {
        told.job(NOON, job(1)).job(NOON, job(2));
        store();
        var replies = new ArrayList<ListJobHistoryReply>();

        listing.list(ListJobHistoryRequest.getDefaultInstance(), ROOT, replies::add);

        assertThat(replies.getFirst().getEntry()).isEqualTo(1);
        assertThat(replies.getFirst().getOrdinal()).isEqualTo(1);
        assertThat(replies.getFirst().getCluster()).isEqualTo(CLUSTER);
    }

    @Test
    void manyJobsComeInPartsOfBoundedSize() {
        for (var id = 1; id <= 1200; id++) {
            told.job(NOON, job(id).setComment("x".repeat(500)));
        }
        store();
        var replies = new ArrayList<ListJobHistoryReply>();

        listing.list(ListJobHistoryRequest.getDefaultInstance(), ROOT, replies::add);

        assertThat(replies).allMatch(reply -> reply.getSerializedSize() < 1 << 20);
        assertThat(replies.stream().mapToInt(ListJobHistoryReply::getJobsCount).sum())
                .isEqualTo(1200);
    }

    /// Making its tables must not wait for the reader, nor others for whoever makes them.
    @Test
    void jobOfANewMonthIsRecordedWhileSomebodyReadsSlowly() {
        told.job(NOON, job(1));
        store();
        var read = new ArrayList<List<Integer>>();

        listing.list(
                ListJobHistoryRequest.getDefaultInstance(),
                ROOT,
                _ ->
                        elsewhere(() -> {
                            told.job(NOON.plus(Duration.ofDays(40)), job(2));
                            store();
                            read.add(ids(RecordQuery.newBuilder(), ROOT));
                        }));

        assertThat(read).containsExactly(List.of(1, 2));
    }

    @Test
    void monthInWhichSomebodyReadsIsPurgedTheNextTime() {
        told.job(NOON, ended(1, NOON, NOON.plusSeconds(60)));
        store();
        now = NOON.plus(Duration.ofDays(100));
        sumUp();
        DATABASE.jdbi().useTransaction(handle -> Months.settle(handle, Times.at(now)));
        var purge = new Purge(DATABASE.jdbi(), months, () -> now);

        listing.list(
                ListJobHistoryRequest.getDefaultInstance(),
                ROOT,
                _ -> elsewhere(() -> purge.remove(Retention.Kind.JOB, Times.at(now))));
        assertThat(partitions()).isPositive();

        purge.remove(Retention.Kind.JOB, Times.at(now));
        assertThat(partitions()).isZero();
    }

    /// On a connection of its own.
    private static void elsewhere(Runnable work) {
        CompletableFuture.runAsync(work, Thread::startVirtualThread).join();
    }

    /// What SQL leaves out must be what the filter leaves out.
    @Test
    void whateverIsAskedTheDatabaseFindsWhatTheFilterFinds() {
        var random = new Random(7);
        var all = new ArrayList<JobRecord>();
        for (var id = 1; id <= 200; id++) {
            var start = NOON.plusSeconds(random.nextInt(40) * 86_400L);
            var record =
                    ended(id, start, start.plusSeconds(random.nextInt(100_000)))
                            .setSubmitMicros(Told.micros(start.minusSeconds(random.nextInt(9_000))))
                            .setUid(1000 + random.nextInt(3))
                            .setUserName("user" + random.nextInt(3))
                            .setAccount("account" + random.nextInt(3))
                            .setName("name" + random.nextInt(3))
                            .setState(
                                    List.of("COMPLETED", "FAILED", "RUNNING")
                                            .get(random.nextInt(3)));
            record.setEligibleMicros(record.getSubmitMicros());
            if (record.getState().equals("RUNNING")) {
                record.clearEndMicros();
            }
            all.add(record.build());
            told.job(start, record);
        }
        now = NOON.plusSeconds(60 * 86_400L);
        store();
        sumUp();

        for (var i = 0; i < 100; i++) {
            var query = RecordQuery.newBuilder();
            if (random.nextBoolean()) {
                var from = NOON.plusSeconds(random.nextInt(45) * 86_400L);
                query.setFromMicros(Told.micros(from))
                        .setUntilMicros(Told.micros(from.plusSeconds(random.nextInt(200_000))));
            }
            if (random.nextInt(3) == 0) {
                query.addStates(
                        List.of("COMPLETED", "FAILED", "RUNNING", "PENDING")
                                .get(random.nextInt(4)));
            }
            if (random.nextInt(3) == 0) {
                query.addUsers(random.nextBoolean() ? "user1" : "1001");
            }
            if (random.nextInt(4) == 0) {
                query.addAccounts("account1");
            }
            if (random.nextInt(4) == 0) {
                query.addNames("name2");
            }
            var filter = dev.spur.api.records.RecordFilter.of(query.build(), Told.micros(now));

            assertThat(ids(query, ROOT))
                    .as("%s", query)
                    .containsExactlyElementsOf(
                            all.stream().filter(filter::matches).map(JobRecord::getJobId).toList());
        }
    }

    @Test
    void aScriptIsForItsOwnerAndOperators() {
        var sha = ByteString.copyFromUtf8("sha");
        told.job(NOON, job(1).setScriptSha256(sha));
        var batch =
                told.all().toBuilder()
                        .addFiles(
                                StoredFile.newBuilder()
                                        .setSha256(sha)
                                        .setContent(ByteString.copyFromUtf8("#!/bin/sh")))
                        .build();
        new RecordStore(DATABASE.jdbi(), months, () -> now, CLUSTER).store(batch);
        var files = new JobFiles(DATABASE.jdbi());
        var request = GetJobFileRequest.newBuilder().setJob("1").build();

        assertThat(files.find(request, ALICE)).asString().isEqualTo("#!/bin/sh");
        assertThat(files.find(request, ROOT)).asString().isEqualTo("#!/bin/sh");
        assertThatThrownBy(() -> files.find(request, COORDINATOR))
                .isInstanceOf(SpurException.class);
        assertThatThrownBy(() -> files.find(request, BOB)).isInstanceOf(SpurException.class);
    }

    @Test
    void whatIsOldGoesAndWhatHasNotEndedStays() {
        told.job(NOON, ended(1, NOON, NOON.plusSeconds(60)))
                .job(NOON, job(2))
                .job(
                        NOON,
                        ended(3, NOON.plusSeconds(40 * 86_400L), NOON.plusSeconds(41 * 86_400L))
                                .setSubmitMicros(Told.micros(NOON.plusSeconds(40 * 86_400L))));
        store();
        now = NOON.plusSeconds(45 * 86_400L);
        sumUp();

        new Purge(DATABASE.jdbi(), months, () -> now)
                .run(new Retention(Map.of(Retention.Kind.JOB, KeptFor.parse("30days"))));

        assertThat(ids(RecordQuery.newBuilder(), ROOT)).containsExactly(2, 3);
    }

    @Test
    void aMonthOfWhichAllIsOldGoesAsAWholeAndComesBackWhenItIsNeeded() {
        told.job(NOON, ended(1, NOON, NOON.plusSeconds(60)));
        store();
        now = NOON.plusSeconds(100 * 86_400L);
        sumUp();

        new Purge(DATABASE.jdbi(), months, () -> now)
                .run(new Retention(Map.of(Retention.Kind.JOB, KeptFor.parse("1month"))));
        assertThat(partitions()).isZero();

        told.job(NOON, job(2));
        store();
        assertThat(ids(RecordQuery.newBuilder(), ROOT)).containsExactly(2);
    }

    @Test
    void whatWasArchivedAndRemovedCanBeReadBack(@TempDir Path directory) {
        told.job(NOON, ended(1, NOON, NOON.plusSeconds(60)))
                .add(NOON, step(1, 0))
                .job(NOON, job(2));
        store();
        sumUp();
        var before = Times.at(now);
        var everything = RecordQuery.newBuilder().setSteps(true);
        var shown = list(everything, ROOT).getFirst();
        var archive = new JobArchive(DATABASE.jdbi(), months);

        var files = archive.write(directory, before);
        new Purge(DATABASE.jdbi(), months, () -> now).remove(Retention.Kind.JOB, before);
        assertThat(ids(RecordQuery.newBuilder(), ROOT)).containsExactly(2);
        archive.load(files.getFirst());

        assertThat(list(everything, ROOT).getFirst().getJob()).isEqualTo(shown.getJob());
        assertThat(list(everything, ROOT).getFirst().getStepsList())
                .isEqualTo(shown.getStepsList());
    }

    @Test
    void whatIsPurgedBesideJobsIsKeptInFilesAsLinesOfJson(@TempDir Path directory)
            throws IOException {
        told.job(NOON, ended(1, NOON, NOON.plusSeconds(60)))
                .add(NOON, step(1, 0))
                .job(NOON, job(2))
                .add(NOON, step(2, 0));
        store();
        var archive = new RowArchive(DATABASE.jdbi());

        var file = archive.write(directory, Retention.Kind.STEP, Times.at(now)).orElseThrow();

        try (var in = new GZIPInputStream(Files.newInputStream(file))) {
            assertThat(new String(in.readAllBytes(), UTF_8).lines())
                    .singleElement()
                    .asString()
                    .contains("\"job_id\": 1,", "\"step_id\": 0,");
        }
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThat(archive.write(directory, Retention.Kind.EVENT, Times.at(now))).isEmpty();
    }

    private static int partitions() {
        return DATABASE.jdbi()
                .withHandle(handle ->
                        handle.createQuery(
                                        "select count(*) from pg_inherits where inhparent = 'job'::regclass")
                                .mapTo(Integer.class)
                                .one());
    }

    @Test
    void aJobWhoseEndIsMissingIsEndedWhenItBegan() {
        told.job(NOON, Told.running(1, NOON.plusSeconds(60)));
        store();
        var runaways = new Runaways(DATABASE.jdbi());

        var fixed = runaways.end(runaways.notEnded().stream().map(JobHistory::getDbIndex).toList());

        assertThat(fixed).isEqualTo(1);
        var job = list(RecordQuery.newBuilder(), ROOT).getFirst().getJob();
        assertThat(job.getState()).isEqualTo("COMPLETED");
        assertThat(job.getEndMicros()).isEqualTo(job.getStartMicros());
        assertThat(runaways.notEnded()).isEmpty();
    }
}
