package dev.spur.accounting.usage;

import static dev.spur.accounting.Told.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.accounting.TestDatabase;
import dev.spur.accounting.Told;
import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.archive.Purge;
import dev.spur.accounting.archive.Retention;
import dev.spur.accounting.ingest.RecordStore;
import dev.spur.accounting.job.Months;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.ReportRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RollUpTest {
    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final Viewer ROOT = new Viewer(0, "root", Viewer.Level.ADMIN, Set.of(), true);
    private static final Instant BEGIN = Instant.parse("2026-03-27T20:00:00Z");

    private final Told told = new Told();
    private Instant now = BEGIN;
    private int stored;
    private final Months months = new Months(DATABASE.jdbi());
    private final RecordStore store = new RecordStore(DATABASE.jdbi(), months, () -> now, CLUSTER);
    private final RollUp rollUp = new RollUp(DATABASE.jdbi(), () -> now);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.empty();
    }

    @Test
    void aJobCountsInEachHourForAsLongAsItRanInIt() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, job(1, BEGIN, BEGIN.plusSeconds(1800), BEGIN.plusSeconds(3600 * 2 + 60)));
        rolled(BEGIN.plusSeconds(3600 * 4));

        assertThat(hours()).containsExactly(3600L, 7200L, 120L);
    }

    @Test
    void whatIsLearnedLaterIsCountedWhereItHappened() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, running(1, BEGIN, BEGIN));
        rolled(BEGIN.plusSeconds(3600 * 3));
        told.job(now, job(1, BEGIN, BEGIN, BEGIN.plusSeconds(60)));

        rolled(now);

        assertThat(hours()).containsExactly(120L);
    }

    @Test
    void whatWasPurgedStaysInTheSumsWhateverIsLearnedLater() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, running(1, BEGIN, BEGIN))
                .job(BEGIN, job(2, BEGIN, BEGIN, BEGIN.plusSeconds(1800)));
        rolled(BEGIN.plusSeconds(3600 * 3));
        purge(BEGIN.plusSeconds(3600 * 2));
        told.job(now, running(1, BEGIN, BEGIN).setAccount("elsewhere"));

        rolled(now);

        assertThat(hours()).containsExactly(7200L + 3600, 7200L, 7200L);
    }

    @Test
    void nothingIsPurgedBeforeItIsSummedUp() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, job(1, BEGIN, BEGIN, BEGIN.plusSeconds(60)));
        store.store(told.all());
        stored = told.records().size();
        now = BEGIN.plusSeconds(3600 * 3);

        purge(now);
        rolled(now);

        assertThat(hours()).containsExactly(120L);
    }

    @Test
    void sumsArePurgedWhenAllOfThemIsOld() {
        var march = Instant.parse("2026-03-01T00:00:00Z");
        told.capacity(march, 8);
        told.job(march, job(1, march, march, march.plusSeconds(3600)));
        rolled(Instant.parse("2026-04-02T00:00:00Z"));

        new Purge(DATABASE.jdbi(), months, () -> now)
                .remove(Retention.Kind.USAGE, Times.at(march.plusSeconds(86_400 * 10)));

        assertThat(used(march, Instant.parse("2026-04-01T00:00:00Z"))).isEqualTo(7200L);
    }

    private static long used(Instant from, Instant until) {
        return new Reports(DATABASE.jdbi(), () -> until.plusSeconds(86_400))
                .report(request("cluster userutilizationbyaccount", from, until), ROOT)
                .getRows(0)
                .getSecondsOrThrow("used");
    }

    private void purge(Instant before) {
        new Purge(DATABASE.jdbi(), months, () -> now).remove(Retention.Kind.JOB, Times.at(before));
    }

    @Test
    void aNodeThatClaimsMoreThanThereIsInTheWorldDoesNotOverflowTheSums() {
        told.capacity(BEGIN, Long.MAX_VALUE);
        told.node(
                BEGIN,
                NodeRecord.newBuilder().setName("n4").setState("DOWN").putTres(1, Long.MAX_VALUE));

        rolled(BEGIN.plusSeconds(86_400 * 40));

        assertThat(
                        new Reports(DATABASE.jdbi(), () -> now)
                                .report(
                                        request(
                                                "cluster utilization",
                                                BEGIN,
                                                BEGIN.plusSeconds(86_400 * 40)),
                                        ROOT)
                                .getRowsList())
                .hasSize(1);
    }

    @Test
    void aReportOfAllTimesIsAnsweredAndOneBeyondThemIsNot() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, job(1, BEGIN, BEGIN, BEGIN.plusSeconds(60)));
        store.store(told.all());
        now = BEGIN.plusSeconds(3600);

        assertThat(used(Instant.ofEpochSecond(1), BEGIN.plusSeconds(3600))).isEqualTo(120);
        assertThatThrownBy(() ->
                        new Reports(DATABASE.jdbi(), () -> now)
                                .report(
                                        ReportRequest.newBuilder()
                                                .setKind("cluster utilization")
                                                .setFromMicros(Long.MIN_VALUE)
                                                .build(),
                                        ROOT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSuspendedJobUsesNothing() {
        told.capacity(BEGIN, 8);
        told.job(BEGIN, running(1, BEGIN, BEGIN))
                .job(
                        BEGIN.plusSeconds(600),
                        running(1, BEGIN, BEGIN)
                                .setState("SUSPENDED")
                                .setSuspendedSinceMicros(Told.micros(BEGIN.plusSeconds(600))))
                .job(BEGIN.plusSeconds(4200), running(1, BEGIN, BEGIN).setSuspendedSeconds(3600));

        rolled(BEGIN.plusSeconds(7200));

        assertThat(hours()).containsExactly(1200L, 6000L);
    }

    @Test
    void aClusterIsAllocatedDownIdleOrPlannedAndNothingElse() {
        told.capacity(BEGIN, 8);
        told.node(BEGIN, NodeRecord.newBuilder().setName("n4").setState("DOWN").putTres(1, 2));
        told.node(BEGIN.plusSeconds(1800), NodeRecord.newBuilder().setName("n4").setServes(true));
        told.job(BEGIN, job(1, BEGIN, BEGIN.plusSeconds(600), BEGIN.plusSeconds(3600)));
        rolled(BEGIN.plusSeconds(3600));

        var report =
                new Reports(DATABASE.jdbi(), () -> now)
                        .report(
                                request("cluster utilization", BEGIN, BEGIN.plusSeconds(3600)),
                                ROOT);

        assertThat(report.getRows(0).getSecondsMap())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "reported", 8 * 3600L,
                                "allocated", 2 * 3000L,
                                "down", 2 * 1800L,
                                "planned_down", 0L,
                                "planned", 2 * 600L,
                                "idle", 8 * 3600L - 6000 - 3600 - 1200));
    }

    /// Begins before the change of daylight saving on 29 March (with the first seeds) or crosses
    /// the end of a month and the windows are days of Berlin, New York and Kathmandu (a quarter of
    /// an hour off).
    @ParameterizedTest
    @CsvSource({
        "1, Europe/Berlin",
        "2, Europe/Berlin",
        "3, America/New_York",
        "4, Asia/Kathmandu",
        "5, UTC",
        "6, Europe/Berlin"
    })
    void sumsEqualThoseOfTheRawRowsInWhateverOrderTheyCome(long seed, String zone) {
        var random = new Random(seed);
        told.capacity(BEGIN, 1_000);
        var last = new TreeMap<String, JobRecord>();
        var changes = new TreeMap<Long, JobRecord.Builder>();
        for (var id = 1; id <= 60; id++) {
            history(random, id).forEach(each -> changes.put(unique(changes, each), each));
        }
        // Some records come late: a controller was away.
        var order = new ArrayList<>(changes.entrySet());
        for (var change : order) {
            var late = random.nextInt(8) == 0 ? random.nextInt(20_000) : 0;
            now = Times.instant(change.getKey()).plusSeconds(late);
            var record = change.getValue();
            told.job(now, record);
            last.put(record.getJobId() + "." + record.getAttempt(), record.build());
            if (random.nextInt(5) == 0) {
                rolled(now);
            }
        }
        rolled(Instant.parse("2026-04-03T09:30:00Z"));

        for (var day = LocalDate.parse("2026-03-27");
                day.isBefore(LocalDate.parse("2026-04-03"));
                day = day.plusDays(1 + random.nextInt(2))) {
            var from = day.atStartOfDay(ZoneId.of(zone)).toInstant();
            var until =
                    day.plusDays(1 + random.nextInt(3)).atStartOfDay(ZoneId.of(zone)).toInstant();
            assertThat(reported(from, until, zone))
                    .as("%s until %s", from, until)
                    .isEqualTo(naive(last.values(), from, until));
        }
        assertThat(reported(BEGIN, now, "UTC"))
                .isEqualTo(naive(last.values(), BEGIN, now.plusSeconds(1800)));
    }

    private static long unique(TreeMap<Long, JobRecord.Builder> changes, JobRecord.Builder job) {
        var at =
                job.getEndMicros() != 0
                        ? job.getEndMicros()
                        : job.getSuspendedSinceMicros() != 0
                                ? job.getSuspendedSinceMicros()
                                : job.getStartMicros() != 0
                                        ? Math.max(job.getStartMicros(), job.getPlannedMicros())
                                        : job.getSubmitMicros();
        while (changes.containsKey(at)) {
            at++;
        }
        return at;
    }

    /// A job: it waits, runs, may be suspended and resumed, ends, and may run again.
    private List<JobRecord.Builder> history(Random random, int id) {
        var records = new ArrayList<JobRecord.Builder>();
        var submit = BEGIN.plusSeconds(random.nextInt(4 * 86_400)).plusMillis(random.nextInt(1000));
        var user = "user" + random.nextInt(4);
        for (var attempt = 1; attempt <= 1 + random.nextInt(2); attempt++) {
            var start = submit.plusSeconds(random.nextInt(8_000)).plusMillis(random.nextInt(1000));
            var cpus = 1 + random.nextInt(5);
            var base =
                    Told.job(id)
                            .setAttempt(attempt)
                            .setUserName(user)
                            .setSubmitMicros(Told.micros(submit))
                            .setEligibleMicros(Told.micros(submit));
            records.add(base.clone());
            var running =
                    base.setState("RUNNING")
                            .setStartMicros(Told.micros(start))
                            .putTresAllocated(1, cpus);
            records.add(running.clone());
            var suspended = 0;
            var end = start.plusSeconds(random.nextInt(random.nextInt(6) == 0 ? 200_000 : 9_000));
            if (random.nextInt(3) == 0 && Duration.between(start, end).toSeconds() > 10) {
                var pause = Duration.between(start, end).toSeconds();
                var since = start.plusSeconds(random.nextInt((int) pause / 2));
                suspended = 1 + random.nextInt((int) pause / 2 - 1);
                records.add(
                        running.clone()
                                .setState("SUSPENDED")
                                .setSuspendedSinceMicros(Told.micros(since)));
                records.add(
                        running.clone()
                                .setSuspendedSeconds(suspended)
                                .setPlannedMicros(Told.micros(since.plusSeconds(suspended))));
            }
            if (random.nextInt(10) > 0) {
                records.add(
                        running.clone()
                                .setState("COMPLETED")
                                .setSuspendedSeconds(suspended)
                                .setEndMicros(Told.micros(end)));
            }
            submit = end;
        }
        return records;
    }

    /// By the second, from what was told last.
    private Map<String, Long> naive(Iterable<JobRecord> jobs, Instant from, Instant until) {
        var sums = new HashMap<String, Long>();
        for (var job : jobs) {
            if (job.getStartMicros() == 0) {
                continue;
            }
            var ran = overlap(job.getStartMicros(), job.getEndMicros(), from, until);
            for (var pause : pauses(job)) {
                ran -= overlap(pause[0], pause[1], from, until);
            }
            var used = ran * job.getTresAllocatedOrDefault(1, 0);
            if (used > 0) {
                sums.merge(job.getUserName(), used, Long::sum);
            }
        }
        return sums;
    }

    /// A job is suspended once, if at all.
    private List<long[]> pauses(JobRecord job) {
        for (var record : told.records()) {
            var each = record.getJob();
            if (each.getSuspendedSinceMicros() != 0
                    && each.getJobId() == job.getJobId()
                    && each.getAttempt() == job.getAttempt()) {
                var since = each.getSuspendedSinceMicros() / 1_000_000 * 1_000_000;
                return List.of(new long[] {since, since + job.getSuspendedSeconds() * 1_000_000});
            }
        }
        return List.of();
    }

    private long overlap(long startMicros, long endMicros, Instant from, Instant until) {
        var end = endMicros == 0 ? Long.MAX_VALUE : endMicros / 1_000_000;
        var last = Math.min(Math.min(end, until.getEpochSecond()), now.getEpochSecond());
        return Math.max(0, last - Math.max(startMicros / 1_000_000, from.getEpochSecond()));
    }

    private Map<String, Long> reported(Instant from, Instant until, String zone) {
        var sums = new HashMap<String, Long>();
        var request =
                request("cluster userutilizationbyaccount", from, until).toBuilder().setZone(zone);
        new Reports(DATABASE.jdbi(), () -> now)
                .report(request.build(), ROOT)
                .getRowsList()
                .forEach(row -> sums.put(row.getUser(), row.getSecondsOrThrow("used")));
        return sums;
    }

    private static ReportRequest request(String kind, Instant from, Instant until) {
        return ReportRequest.newBuilder()
                .setKind(kind)
                .setFromMicros(Told.micros(from))
                .setUntilMicros(Told.micros(until))
                .build();
    }

    private static JobRecord.Builder running(int id, Instant submit, Instant start) {
        return Told.running(id, start)
                .setSubmitMicros(Told.micros(submit))
                .setEligibleMicros(Told.micros(submit));
    }

    private static JobRecord.Builder job(int id, Instant submit, Instant start, Instant end) {
        return running(id, submit, start).setState("COMPLETED").setEndMicros(Told.micros(end));
    }

    /// Stores what was told and sums up what is over by then.
    private void rolled(Instant time) {
        now = time;
        store.store(told.batch(stored, told.records().size()));
        stored = told.records().size();
        rollUp.run();
    }

    /// Seconds of CPUs, hour by hour.
    private static List<Long> hours() {
        return DATABASE.jdbi()
                .withHandle(handle ->
                        handle.createQuery(
                                        """
                                        select sum(seconds)::bigint from usage where span = 'hour' and tres_id = 1
                                         group by from_at having sum(seconds) > 0 order by from_at
                                        """)
                                .mapTo(Long.class)
                                .list());
    }
}
