package dev.spur.accounting.ingest;

import static dev.spur.accounting.Told.CLUSTER;
import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.ended;
import static dev.spur.accounting.Told.job;
import static dev.spur.accounting.Told.running;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.accounting.TestDatabase;
import dev.spur.accounting.Told;
import dev.spur.accounting.cluster.Position;
import dev.spur.accounting.job.Months;
import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AccountsChanged;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.StepRecord;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordStoreTest {
    private static final TestDatabase DATABASE = TestDatabase.create();

    private final Told told = new Told();

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.empty();
    }

    @Test
    void aJobIsKeptAsItWasToldLast() {
        told.job(NOON, job(1));
        told.job(NOON.plusSeconds(5), running(1, NOON.plusSeconds(5)));
        var last = ended(1, NOON.plusSeconds(5), NOON.plusSeconds(65));
        told.job(NOON.plusSeconds(65), last);

        store().store(told.all());

        assertThat(jobs().values()).containsExactly(last.build());
    }

    @Test
    void recordsThatComeAgainChangeNothing() {
        told.job(NOON, job(1).setName("first")).job(NOON, job(1).setName("second"));
        store().store(told.all());

        var position = store().store(told.batch(0, 1));

        assertThat(position).isEqualTo(new Position(1, 1));
        assertThat(jobs().values()).extracting(JobRecord::getName).containsExactly("second");
    }

    @Test
    void ofABatchThatCannotBeStoredNothingIsKept() {
        told.job(NOON, job(1)).add(NOON, Record.newBuilder());

        assertThatThrownBy(() -> store().store(told.all())).hasMessageContaining("Update spurdbd");

        assertThat(jobs()).isEmpty();
        assertThat(store().position()).isEqualTo(Position.START);
    }

    @Test
    void attemptsOfARequeuedJobAreKeptEach() {
        told.job(NOON, job(1).setState("REQUEUED").setEndMicros(Told.micros(NOON)))
                .job(NOON, job(1).setAttempt(2));

        store().store(told.all());

        assertThat(jobs().keySet()).containsExactlyInAnyOrder("1.1", "1.2");
    }

    @Test
    void whatWasThereWhenTheRecordingBeganIsNobodysChange() {
        told.add(
                        NOON,
                        Record.newBuilder()
                                .setAccounts(
                                        AccountsChanged.newBuilder()
                                                .addAccounts(
                                                        AccountView.newBuilder().setName("root"))))
                .add(
                        NOON,
                        Record.newBuilder()
                                .setAccounts(
                                        AccountsChanged.newBuilder()
                                                .setAction("Add Accounts")
                                                .setActor("root")));

        store().store(told.all());

        assertThat(seconds("select count(*) from transaction")).containsExactly(1L);
    }

    @Test
    void aNodeThatServesAgainEndsWhatWasWrongWithIt() {
        told.node(NOON, NodeRecord.newBuilder().setName("n1").setState("DOWN").setReason("lost"))
                .node(NOON.plusSeconds(60), NodeRecord.newBuilder().setName("n1").setServes(true));

        store().store(told.all());

        assertThat(seconds("select extract(epoch from until_at - from_at) from node_event"))
                .containsExactly(60L);
    }

    @Test
    void whenAJobWasSuspendedIsKeptBesideForHowLong() {
        var start = NOON.plusSeconds(10);
        told.job(start, running(1, start))
                .job(
                        NOON.plusSeconds(100),
                        running(1, start)
                                .setState("SUSPENDED")
                                .setSuspendedSinceMicros(Told.micros(NOON.plusSeconds(100))))
                .job(NOON.plusSeconds(130), running(1, start).setSuspendedSeconds(30));

        store().store(told.all());

        assertThat(seconds("select extract(epoch from until_at - from_at) from suspension"))
                .containsExactly(30L);
    }

    @Test
    void aTextThatTheDatabaseCannotHaveHoldsUpNothing() {
        told.job(NOON, job(1).setName("a\0b").setWckey("\0"))
                .node(NOON, NodeRecord.newBuilder().setName("n1").setState("DOWN").setReason("\0"))
                .add(
                        NOON,
                        Record.newBuilder()
                                .setAccounts(
                                        AccountsChanged.newBuilder()
                                                .setAction("Add Accounts")
                                                .setInfo("\0")
                                                .addAccounts(
                                                        AccountView.newBuilder().setName("\0"))));

        store().store(told.all());

        assertThat(store().position()).isEqualTo(Position.of(told.records().getLast()));
        assertThat(jobs().values()).extracting(JobRecord::getName).containsExactly("a\0b");
    }

    @Test
    void namesAsLongAsARequestMayHaveThemAreStored() {
        var random = new Random(1);
        told.job(
                NOON,
                job(1).setName(text(random, 1_024))
                        .setWckey(text(random, 1_024))
                        .setAccount(text(random, 1_024))
                        .setUserName(text(random, 256)));

        store().store(told.all());

        assertThat(jobs()).hasSize(1);
    }

    /// That nothing can be left out of.
    private static String text(Random random, int bytes) {
        var text = new StringBuilder();
        for (var i = 0; i < bytes / 2; i++) {
            text.append((char) (0x80 + random.nextInt(0x700)));
        }
        return text.toString();
    }

    @Test
    void aMonthThatWasPurgedWhileJobsOfItCameIsMadeAgain() {
        told.job(NOON, job(1)).job(NOON, job(2));
        var store = store();
        store.store(told.batch(0, 1));
        DATABASE.jdbi().useHandle(handle -> handle.execute("delete from accounting_month"));

        assertThatThrownBy(() -> store.store(told.batch(1, 2))).hasMessageContaining("partition");
        store.store(told.batch(1, 2));

        assertThat(jobs().keySet()).containsExactly("2.1");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whateverCrashesBetweenCommitAndAcknowledgementTheTablesAreTheSame(long seed) {
        var random = new Random(seed);
        var expected = new HashMap<String, JobRecord>();
        var expectedSteps = new HashMap<String, StepRecord>();
        for (var i = 0; i < 300; i++) {
            var at = NOON.plusSeconds(i * 10L);
            if (random.nextInt(3) == 0) {
                var step =
                        StepRecord.newBuilder()
                                .setJobId(1 + random.nextInt(20))
                                .setSubmitMicros(Told.micros(NOON))
                                .setAttempt(1)
                                .setStepId(random.nextInt(3))
                                .setName("step " + i)
                                .build();
                told.add(at, Record.newBuilder().setStep(step));
                expectedSteps.put(step.getJobId() + "." + step.getStepId(), step);
            } else {
                var record =
                        running(1 + random.nextInt(20), at)
                                .setAttempt(1 + random.nextInt(2))
                                .setName("job " + i)
                                .build();
                told.job(at, record.toBuilder());
                expected.put(record.getJobId() + "." + record.getAttempt(), record);
            }
        }

        var acknowledged = 0;
        var store = store();
        while (acknowledged < told.records().size()) {
            var until = Math.min(told.records().size(), acknowledged + 1 + random.nextInt(40));
            store.store(told.batch(acknowledged, until));
            if (random.nextInt(3) == 0) {
                store = store(); // died before it could say so
            } else {
                acknowledged = until;
            }
        }

        assertThat(jobs()).isEqualTo(expected);
        assertThat(steps()).isEqualTo(expectedSteps);
        assertThat(store.position()).isEqualTo(Position.of(told.records().getLast()));
    }

    private static RecordStore store() {
        return new RecordStore(
                DATABASE.jdbi(), new Months(DATABASE.jdbi()), InstantSource.system(), CLUSTER);
    }

    private static Map<String, JobRecord> jobs() {
        var jobs = new HashMap<String, JobRecord>();
        records("select record from job")
                .forEach(bytes -> {
                    var job = parsed(() -> JobRecord.parseFrom(bytes));
                    jobs.put(job.getJobId() + "." + job.getAttempt(), job);
                });
        return jobs;
    }

    private static Map<String, StepRecord> steps() {
        var steps = new HashMap<String, StepRecord>();
        records("select record from step")
                .forEach(bytes -> {
                    var step = parsed(() -> StepRecord.parseFrom(bytes));
                    steps.put(step.getJobId() + "." + step.getStepId(), step);
                });
        return steps;
    }

    private interface Parsing<T> {
        T parse() throws InvalidProtocolBufferException;
    }

    private static <T> T parsed(Parsing<T> parsing) {
        try {
            return parsing.parse();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static List<byte[]> records(String sql) {
        return DATABASE.jdbi()
                .withHandle(handle -> handle.createQuery(sql).mapTo(byte[].class).list());
    }

    private static List<Long> seconds(String sql) {
        return DATABASE.jdbi()
                .withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).list());
    }
}
