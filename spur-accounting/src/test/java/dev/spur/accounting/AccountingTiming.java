package dev.spur.accounting;

import static java.util.Objects.requireNonNull;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.ingest.RecordStore;
import dev.spur.accounting.job.JobHistoryListing;
import dev.spur.accounting.job.Months;
import dev.spur.accounting.usage.Reports;
import dev.spur.accounting.usage.RollUp;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.v1.StepRecord;
import java.time.Instant;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How fast a day of jobs is stored, summed up and found: `bench/accounting [JOBS]`. A measurement,
/// not a check.
class AccountingTiming {
    private static final Instant DAY = Instant.parse("2026-03-10T00:00:00Z");
    private static final long MICROS_OF_DAY = 86_400_000_000L;
    private static final int BATCH = 1_000;
    private static final Viewer ROOT = new Viewer(0, "root", Viewer.Level.ADMIN, Set.of(), true);
    private static final Viewer USER =
            new Viewer(1007, "user7", Viewer.Level.USER, Set.of(), false);

    private record Change(long at, Record.Builder record) {}

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void aDay() {
        var jobs = Integer.getInteger("spur.jobs", 1_000_000);
        var now = DAY.plusSeconds(86_400);
        try (var database = TestDatabase.create()) {
            var jdbi = database.jdbi();
            var store = new RecordStore(jdbi, new Months(jdbi), () -> now, Told.CLUSTER);
            var begin = System.nanoTime();
            var records = load(store, jobs);
            var seconds = (System.nanoTime() - begin) / 1e9;
            say("records stored", records / seconds, "/s");
            say("jobs stored (submitted, started, ended, a batch step)", jobs / seconds, "/s");

            begin = System.nanoTime();
            new RollUp(jdbi, () -> now).run();
            say("roll-up of the day", (System.nanoTime() - begin) / 1e6, "ms");

            var listing = new JobHistoryListing(jdbi, () -> now);
            var random = new Random(1);
            time(
                    "sacct -j ID",
                    200,
                    () ->
                            list(
                                    listing,
                                    RecordQuery.newBuilder()
                                            .setSteps(true)
                                            .addIds(Integer.toString(1 + random.nextInt(jobs))),
                                    ROOT));
            time(
                    "sacct -u ME -S midnight -E midnight+1h",
                    20,
                    () -> list(listing, window(0, 3_600).addUsers("user7"), USER));
            time(
                    "sacct -X of an hour, all users",
                    5,
                    () -> list(listing, window(43_200, 46_800), ROOT));
            time("sacct -X of the day, all users", 1, () -> list(listing, window(0, 86_400), ROOT));
            var reports = new Reports(jdbi, () -> now);
            time(
                    "sreport cluster AccountUtilizationByUser of the day",
                    10,
                    () ->
                            reports.report(
                                            ReportRequest.newBuilder()
                                                    .setKind("cluster accountutilizationbyuser")
                                                    .setFromMicros(Told.micros(DAY))
                                                    .setUntilMicros(Told.micros(now))
                                                    .build(),
                                            ROOT)
                                    .getRowsCount());
            var bytes =
                    jdbi.withHandle(handle ->
                            handle.createQuery("select pg_database_size(current_database())")
                                    .mapTo(Long.class)
                                    .one());
            say("size on disk, for each job", (double) bytes / jobs, "bytes");
        }
    }

    /// In the order of time, as a cluster tells it.
    private static long load(RecordStore store, int jobs) {
        var random = new Random(42);
        var later = new PriorityQueue<Change>((one, other) -> Long.compare(one.at(), other.at()));
        var batch = RecordBatch.newBuilder().setCluster(Told.CLUSTER);
        batch.addRecords(new Told().capacity(DAY, 10_000).records().getFirst());
        var records = 1L;
        for (var id = 1; id <= jobs || !later.isEmpty(); id++) {
            var at = id <= jobs ? Told.micros(DAY) + MICROS_OF_DAY / jobs * id : Long.MAX_VALUE;
            while (!later.isEmpty() && requireNonNull(later.peek()).at() <= at) {
                records = add(store, batch, requireNonNull(later.poll()), records);
            }
            if (id <= jobs) {
                var job = job(random, id, at);
                records =
                        add(store, batch, new Change(at, Record.newBuilder().setJob(job)), records);
                var start = at + random.nextInt(600_000_000);
                var end = start + 1_000_000 + random.nextInt(1_200_000_000);
                job.setState("RUNNING")
                        .setStartMicros(start)
                        .putTresAllocated(1, 4)
                        .putTresAllocated(2, 8_000)
                        .putTresAllocated(4, 1)
                        .putTresAllocated(5, 4);
                later.add(new Change(start, Record.newBuilder().setJob(job.clone())));
                job.setState(random.nextInt(10) == 0 ? "FAILED" : "COMPLETED").setEndMicros(end);
                later.add(new Change(end, Record.newBuilder().setStep(step(job, end))));
                later.add(new Change(end, Record.newBuilder().setJob(job)));
            }
        }
        store.store(batch.build());
        return records;
    }

    private static long add(
            RecordStore store, RecordBatch.Builder batch, Change change, long records) {
        batch.addRecords(change.record().setEntry(records + 1).setAtMicros(change.at()));
        if (batch.getRecordsCount() == BATCH) {
            store.store(batch.build());
            batch.clearRecords();
        }
        return records + 1;
    }

    private static JobRecord.Builder job(Random random, int id, long at) {
        var user = random.nextInt(200);
        return Told.job(id)
                .setSubmitMicros(at)
                .setEligibleMicros(at)
                .setUid(1000 + user)
                .setUserName("user" + user)
                .setAccount("account" + user % 20)
                .setAssociationId(100 + user)
                .setName("train-" + random.nextInt(50))
                .setWorkDir("/home/user" + user + "/project")
                .setSubmitLine("sbatch --gpus=1 train.sh --epochs " + id % 10);
    }

    private static StepRecord.Builder step(JobRecord.Builder job, long end) {
        return StepRecord.newBuilder()
                .setJobId(job.getJobId())
                .setSubmitMicros(job.getSubmitMicros())
                .setAttempt(job.getAttempt())
                .setStepId(-5)
                .setName("batch")
                .setState("COMPLETED")
                .setStartMicros(job.getStartMicros())
                .setEndMicros(end)
                .setNodeList("n17");
    }

    private static RecordQuery.Builder window(long from, long until) {
        return RecordQuery.newBuilder()
                .setFromMicros(Told.micros(DAY.plusSeconds(from)))
                .setUntilMicros(Told.micros(DAY.plusSeconds(until)));
    }

    private static int list(JobHistoryListing listing, RecordQuery.Builder query, Viewer viewer) {
        var found = new int[1];
        listing.list(
                ListJobHistoryRequest.newBuilder().setQuery(query).build(),
                viewer,
                reply -> found[0] += reply.getJobsCount());
        return found[0];
    }

    private interface Question {
        int ask();
    }

    /// The median, after as many that nobody counts.
    private static void time(String what, int times, Question question) {
        var took = new long[times];
        var rows = 0;
        for (var i = -Math.min(times, 20); i < times; i++) {
            var begin = System.nanoTime();
            rows = question.ask();
            if (i >= 0) {
                took[i] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(took);
        say("%s (%,d rows)".formatted(what, rows), took[times / 2] / 1e6, "ms");
    }

    private static void say(String what, double value, String unit) {
        System.out.printf("%-70s %,12.2f %s%n", what, value, unit);
    }
}
