package dev.spur.accounting;

import static dev.spur.accounting.Told.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.accounting.archive.Retention;
import dev.spur.api.v1.AccountsChanged;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.postgres.TestPostgres;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// PostgreSQL ends without warning, again and again, between what it committed and the
/// acknowledgement of it, or anywhere else. `-Dspur.rounds=50` for more of it.
@Timeout(600)
class KilledDatabaseTest {
    private static final int ROUNDS = Integer.getInteger("spur.rounds", 4);
    private static final int BATCH = 20;

    private final PostgresHome home = TestPostgres.home();
    private final Controller records = new Controller();
    private Server controller;

    @BeforeEach
    void start() throws Exception {
        controller =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(records)
                        .build()
                        .start();
    }

    @AfterEach
    void stop() {
        controller.shutdownNow();
    }

    /// Has as many records as anybody asks for, a job and a change of accounts in turn, and hears
    /// acknowledgements until it is told to be deaf.
    private static final class Controller extends RecordsGrpc.RecordsImplBase {
        private long acknowledged;
        private long until;
        private Runnable atAcknowledgement = () -> {};
        private CountDownLatch acknowledgedAll = new CountDownLatch(1);

        synchronized CountDownLatch tell(long more, Runnable atAcknowledgement) {
            this.atAcknowledgement = atAcknowledgement;
            until = acknowledged + more;
            acknowledgedAll = new CountDownLatch(1);
            return acknowledgedAll;
        }

        @Override
        public StreamObserver<RecordsSeen> follow(StreamObserver<RecordBatch> toDatabase) {
            return new StreamObserver<>() {
                private boolean isFirst = true;

                @Override
                public void onNext(RecordsSeen seen) {
                    hear(seen.getEntry(), isFirst);
                    isFirst = false;
                    send(seen.getEntry() + 1, toDatabase);
                }

                @Override
                public void onError(Throwable cause) {}

                @Override
                public void onCompleted() {}
            };
        }

        private synchronized void hear(long entry, boolean isFirst) {
            // What was acknowledged is kept: it is gone here.
            assertThat(entry).isGreaterThanOrEqualTo(acknowledged);
            acknowledged = entry;
            if (!isFirst) {
                atAcknowledgement.run();
            }
            if (entry >= until) {
                acknowledgedAll.countDown();
            }
        }

        private void send(long from, StreamObserver<RecordBatch> toDatabase) {
            var batch = RecordBatch.newBuilder().setCluster(Told.CLUSTER);
            for (var entry = from; entry < from + BATCH && entry <= until; entry++) {
                batch.addRecords(record(entry));
            }
            if (batch.getRecordsCount() > 0) {
                toDatabase.onNext(batch.build());
            }
        }

        private static Record record(long entry) {
            var record =
                    Record.newBuilder()
                            .setEntry(entry)
                            .setAtMicros(Told.micros(NOON.plusSeconds(entry)));
            return entry % 2 == 0
                    ? record.setJob(Told.job((int) entry)).build()
                    : record.setAccounts(
                                    AccountsChanged.newBuilder()
                                            .setAction("Add Users")
                                            .setActor("root")
                                            .setWhere("name=user" + entry))
                            .build();
        }
    }

    @Test
    void eachRecordIsThereOnceWhereverThePowerWent() throws Exception {
        var random = new Random(3);
        for (var round = 0; round < ROUNDS; round++) {
            try (var postgres = EmbeddedPostgres.open(home, List.of("acct"));
                    var _ = accounting(postgres)) {
                var isAfterCommit = round % 2 == 0;
                var batches = 1 + random.nextInt(4);
                var killed = new CountDownLatch(1);
                var heard = new int[1];
                records.tell(
                        1_000_000,
                        () -> {
                            if (isAfterCommit && ++heard[0] == batches) {
                                kill(postgres.pid());
                                killed.countDown();
                            }
                        });
                if (!isAfterCommit) {
                    assertThat(killed.await(300 + random.nextInt(500), TimeUnit.MILLISECONDS))
                            .isFalse();
                    kill(postgres.pid());
                    killed.countDown();
                }
                assertThat(killed.await(60, TimeUnit.SECONDS)).as("killed").isTrue();
            }
        }

        try (var postgres = EmbeddedPostgres.open(home, List.of("acct"));
                var _ = accounting(postgres)) {
            var all = records.tell(3 * BATCH, () -> {});
            assertThat(all.await(60, TimeUnit.SECONDS)).as("all acknowledged").isTrue();
            assertHasEachOnce(postgres, records.acknowledged);
        }
    }

    private Accounting accounting(EmbeddedPostgres postgres) throws Exception {
        return Accounting.start(
                null,
                postgres.database("acct"),
                new AccountingOptions(
                        List.of(new HostAndPort("127.0.0.1", controller.getPort())),
                        Told.CLUSTER,
                        new HostAndPort("127.0.0.1", 0),
                        "127.0.0.1",
                        "acct",
                        null,
                        Retention.FOR_EVER,
                        InstantSource.system()));
    }

    /// The server with all its processes, as when the host fails.
    private static void kill(long pid) {
        var server = ProcessHandle.of(pid).orElseThrow();
        var all = server.descendants().toList();
        server.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private static void assertHasEachOnce(EmbeddedPostgres postgres, long until) {
        try (var database = Database.open(postgres.database("acct"), AccountingDatabase.USE)) {
            var jdbi = database.jdbi();
            var jobs =
                    jdbi.withHandle(handle ->
                            handle.createQuery("select job_id from job order by db_index")
                                    .mapTo(Integer.class)
                                    .list());
            var changes =
                    jdbi.withHandle(handle ->
                            handle.createQuery(
                                            "select selection from transaction order by transaction_id")
                                    .mapTo(String.class)
                                    .list());
            assertThat(jobs)
                    .isEqualTo(
                            IntStream.rangeClosed(1, (int) until)
                                    .filter(entry -> entry % 2 == 0)
                                    .boxed()
                                    .toList());
            assertThat(changes)
                    .isEqualTo(
                            IntStream.rangeClosed(1, (int) until)
                                    .filter(entry -> entry % 2 == 1)
                                    .mapToObj(entry -> "name=user" + entry)
                                    .toList());
        }
    }
}
