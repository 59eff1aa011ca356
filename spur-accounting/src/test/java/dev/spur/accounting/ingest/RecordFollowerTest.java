package dev.spur.accounting.ingest;

import static dev.spur.accounting.Told.CLUSTER;
import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.accounting.AccountingDatabase;
import dev.spur.accounting.TestDatabase;
import dev.spur.accounting.Told;
import dev.spur.accounting.cluster.Position;
import dev.spur.accounting.job.Months;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecordFollowerTest {
    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final HostAndPort FIRST = new HostAndPort("ctl-1", 6817);
    private static final HostAndPort SECOND = new HostAndPort("ctl-2", 6817);

    private final Told told = new Told();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<HostAndPort, ManagedChannel> channels = new ConcurrentHashMap<>();

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.empty();
    }

    @AfterEach
    void stop() throws Exception {
        for (var each : open.reversed()) {
            each.close();
        }
        channels.values().forEach(ManagedChannel::shutdownNow);
    }

    /// What spurdbd said on a stream, and how to answer.
    private record Stream(BlockingQueue<RecordsSeen> seen, StreamObserver<RecordBatch> toDatabase) {
        RecordsSeen next() throws InterruptedException {
            var next = seen.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("spurdbd says something").isNotNull();
            return requireNonNull(next);
        }
    }

    private static final class Controller extends RecordsGrpc.RecordsImplBase {
        final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();

        @Override
        public StreamObserver<RecordsSeen> follow(StreamObserver<RecordBatch> toDatabase) {
            var stream = new Stream(new LinkedBlockingQueue<>(), toDatabase);
            streams.add(stream);
            return new StreamObserver<>() {
                @Override
                public void onNext(RecordsSeen value) {
                    stream.seen().add(value);
                }

                @Override
                public void onError(Throwable cause) {}

                @Override
                public void onCompleted() {}
            };
        }

        Stream next() throws InterruptedException {
            var next = streams.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("spurdbd comes").isNotNull();
            return requireNonNull(next);
        }
    }

    private Controller controller(HostAndPort address) throws IOException {
        var controller = new Controller();
        Server server =
                InProcessServerBuilder.forName(address + "@" + System.identityHashCode(this))
                        .addService(controller)
                        .build()
                        .start();
        open.add(server::shutdownNow);
        return controller;
    }

    private void follow(Jdbi jdbi, HostAndPort... controllers) {
        open.add(
                new RecordFollower(
                                at ->
                                        channels.computeIfAbsent(
                                                at,
                                                _ ->
                                                        InProcessChannelBuilder.forName(
                                                                        at
                                                                                + "@"
                                                                                + System
                                                                                        .identityHashCode(
                                                                                                this))
                                                                .build()),
                                List.of(controllers),
                                () -> "acct:6819",
                                "acct",
                                jdbi,
                                new Months(jdbi),
                                InstantSource.system(),
                                CLUSTER)
                        .start(Throwable::printStackTrace));
    }

    private static Position position(RecordsSeen seen) {
        return new Position(seen.getEntry(), Integer.toUnsignedLong(seen.getOrdinal()));
    }

    @Test
    void saysWhatItHasThenWhereItIsAndAcknowledgesWhatIsCommitted() throws Exception {
        told.job(NOON, job(1)).job(NOON, job(2)).job(NOON, job(3));
        var controller = controller(FIRST);
        follow(DATABASE.jdbi(), FIRST);

        var stream = controller.next();
        var first = stream.next();
        stream.toDatabase().onNext(told.batch(0, 2));
        stream.toDatabase().onNext(told.batch(2, 3));

        assertThat(position(first)).isEqualTo(Position.START);
        assertThat(first.getAddress()).isEqualTo("acct:6819");
        assertThat(position(stream.next())).isEqualTo(new Position(1, 1));
        assertThat(position(stream.next())).isEqualTo(new Position(1, 2));
        assertThat(jobs()).isEqualTo(3);
    }

    @Test
    void goesOnWhereItStoppedWhenTheControllerIsGone() throws Exception {
        told.job(NOON, job(1)).job(NOON, job(2));
        var controller = controller(FIRST);
        follow(DATABASE.jdbi(), FIRST);
        var stream = controller.next();
        stream.next();
        stream.toDatabase().onNext(told.batch(0, 1));
        stream.next();

        stream.toDatabase().onError(Status.UNAVAILABLE.asRuntimeException());

        assertThat(position(controller.next().next())).isEqualTo(new Position(1, 0));
    }

    @Test
    void goesToTheControllerThatIsNamedAsTheLeader() throws Exception {
        var first = controller(FIRST);
        var second = controller(SECOND);
        follow(DATABASE.jdbi(), FIRST, SECOND);
        var trailers = new Metadata();
        trailers.put(CallerHeaders.LEADER, SECOND.toString());

        first.next().toDatabase().onError(Status.UNAVAILABLE.asRuntimeException(trailers));

        assertThat(position(second.next().next())).isEqualTo(Position.START);
    }

    @Test
    void aClusterThatWasMadeAnewUnderAnOldNameIsKeptApart() throws Exception {
        told.job(NOON, job(1).setName("of the first")).job(NOON, job(1).setName("of the second"));
        var controller = controller(FIRST);
        follow(DATABASE.jdbi(), FIRST);
        tellAs("first", controller, told.batch(0, 1));

        tellAs("second", controller, told.batch(1, 2));

        assertThat(names())
                .containsExactly("anchor of the second", "anchor-2026-03-10 of the first");

        tellAs("first", controller, told.batch(0, 1));
        assertThat(names()).as("nothing twice").hasSize(2);
    }

    /// Ends the stream that is open, tells who the cluster is, and what happened to it.
    private static void tellAs(String identity, Controller controller, RecordBatch batch)
            throws InterruptedException {
        var mine = batch.toBuilder().setIdentity(identity).build();
        var first = controller.next();
        first.next();
        first.toDatabase().onNext(mine);
        var again = controller.next();
        again.next();
        again.toDatabase().onNext(mine);
        assertThat(again.next().getIdentity()).isEqualTo(identity);
        again.toDatabase().onError(Status.UNAVAILABLE.asRuntimeException());
    }

    private static List<String> names() {
        return DATABASE.jdbi()
                .withHandle(handle ->
                        handle.createQuery(
                                        "select cluster.name || ' ' || job.name from job join cluster using (cluster_id) order by 1")
                                .mapTo(String.class)
                                .list());
    }

    @Test
    void aLeaderWhoseAddressIsNoneEndsNothing() throws Exception {
        var first = controller(FIRST);
        var second = controller(SECOND);
        follow(DATABASE.jdbi(), FIRST, SECOND);
        var trailers = new Metadata();
        trailers.put(CallerHeaders.LEADER, "ctl:99999999");

        first.next().toDatabase().onError(Status.UNAVAILABLE.asRuntimeException(trailers));

        assertThat(position(second.next().next())).isEqualTo(Position.START);
    }

    @Test
    void losesNothingWhileTheDatabaseIsAway() throws Exception {
        told.job(NOON, job(1));
        var refusals = new AtomicInteger();
        var broken = new AtomicInteger(0);
        var away =
                AccountingDatabase.prepared(
                        Jdbi.create(() -> {
                            if (broken.get() > 0 && refusals.incrementAndGet() <= broken.get()) {
                                throw new SQLException("the database is away");
                            }
                            return DATABASE.jdbi().open().getConnection();
                        }));
        var controller = controller(FIRST);
        follow(away, FIRST);
        var stream = controller.next();
        stream.next();
        broken.set(2);
        stream.toDatabase().onNext(told.batch(0, 1));

        var again = controller.next();
        assertThat(position(again.next())).isEqualTo(Position.START);
        again.toDatabase().onNext(told.batch(0, 1));

        assertThat(position(again.next())).isEqualTo(new Position(1, 0));
        assertThat(jobs()).isEqualTo(1);
    }

    private static int jobs() {
        return DATABASE.jdbi()
                .withHandle(handle ->
                        handle.createQuery("select count(*) from job").mapTo(Integer.class).one());
    }
}
