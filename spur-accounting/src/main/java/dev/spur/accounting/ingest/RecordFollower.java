package dev.spur.accounting.ingest;

import dev.spur.accounting.cluster.Position;
import dev.spur.accounting.job.Months;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows whichever controller leads, stores what it tells and says so when it is committed. A
/// controller that does not answer and a database that is away are the same to it: it tries again,
/// ever more slowly, and nothing is lost, since the controllers keep what was not acknowledged.
public final class RecordFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordFollower.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /// Batches under way: one is stored while the next one comes.
    private static final int AHEAD = 2;

    private final Function<HostAndPort, ManagedChannel> channels;
    private final List<HostAndPort> controllers;
    private final Supplier<String> address;
    private final String name;
    private final Jdbi jdbi;
    private final Months months;
    private final InstantSource clock;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
    private volatile long waiting;
    private @Nullable RecordStore store;
    private @Nullable String cluster;
    private String identity = "";
    private @Nullable HostAndPort leader;
    private int next;
    private boolean inTrouble;

    /// @param address where clients reach this daemon
    /// @param name of this host
    /// @param cluster whose records; null: whose they are is told by the first batch
    public RecordFollower(
            Function<HostAndPort, ManagedChannel> channels,
            List<HostAndPort> controllers,
            Supplier<String> address,
            String name,
            Jdbi jdbi,
            Months months,
            InstantSource clock,
            @Nullable String cluster) {
        this.channels = channels;
        this.controllers = List.copyOf(controllers);
        this.address = address;
        this.name = name;
        this.jdbi = jdbi;
        this.months = months;
        this.clock = clock;
        this.cluster = cluster;
        this.thread = Thread.ofVirtual().name("records").unstarted(this::run);
    }

    /// @param broken hears why nothing will be stored any more
    public RecordFollower start(Consumer<Throwable> broken) {
        thread.setUncaughtExceptionHandler((_, why) -> broken.accept(why));
        thread.start();
        return this;
    }

    /// Records that the controllers have and this has not.
    public long waiting() {
        return waiting;
    }

    private void run() {
        var pause = FIRST_PAUSE;
        try {
            do {
                var at = leader != null ? leader : controllers.get(next % controllers.size());
                try {
                    pause = follow(at) ? FIRST_PAUSE : pause;
                } catch (RuntimeException e) {
                    if (turnTo(e)) {
                        continue;
                    }
                    tell(at, e);
                }
                var twice = pause.multipliedBy(2);
                pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
            } while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether another controller was named that leads.
    private boolean turnTo(RuntimeException failure) {
        var named =
                failure instanceof StatusRuntimeException status && status.getTrailers() != null
                        ? status.getTrailers().get(CallerHeaders.LEADER)
                        : null;
        var former = leader;
        leader = named == null || named.isEmpty() ? null : addressOrNull(named);
        if (leader == null) {
            next++;
        }
        return leader != null && !leader.equals(former);
    }

    private static @Nullable HostAndPort addressOrNull(String named) {
        try {
            return HostAndPort.parse(named, HostAndPort.CONTROLLER_PORT);
        } catch (IllegalArgumentException e) {
            LOG.atWarn().setCause(e).log("a controller names a leader that is no address");
            return null;
        }
    }

    /// Once, until it goes on.
    private void tell(HostAndPort at, RuntimeException why) {
        if (!inTrouble) {
            inTrouble = true;
            LOG.atWarn()
                    .addKeyValue("controller", at)
                    .addKeyValue(
                            "because",
                            why instanceof StatusRuntimeException status
                                    ? ControllerException.of(status).getMessage()
                                    : why.getMessage())
                    .log("records are not stored at the moment; the controllers keep them");
            LOG.atDebug().setCause(why).log("records are not stored");
        }
    }

    /// What comes on a stream, or from who ends all of this.
    private sealed interface Heard {
        record Batch(Object stream, RecordBatch batch) implements Heard {}

        record End(Object stream, Throwable why) implements Heard {}

        record Stop() implements Heard {}
    }

    /// Follows one controller until it or the database ends that.
    ///
    /// @return whether something was stored
    private boolean follow(HostAndPort at) throws InterruptedException {
        var hearing = new Hearing(heard);
        var stream = open(at, hearing);
        var stored = false;
        try {
            while (true) {
                switch (heard.take()) {
                    case Heard.Stop() -> {
                        return stored;
                    }
                    case Heard.End(var of, var why) -> {
                        if (of == hearing) {
                            throw why instanceof StatusRuntimeException status
                                    ? status
                                    : Status.fromThrowable(why).asRuntimeException();
                        }
                    }
                    case Heard.Batch(var of, var batch) -> {
                        if (of != hearing) {
                            continue; // of a stream that was given up; it comes again
                        }
                        if (!batch.getCluster().equals(cluster)
                                || !batch.getIdentity().equals(identity)) {
                            cluster = batch.getCluster();
                            identity = batch.getIdentity();
                            store = null;
                            return stored; // begins anew with the position of that cluster
                        }
                        stream.onNext(seen(store(batch), identity));
                        stream.request(1);
                        waiting = batch.getWaiting();
                        stored = true;
                        recovered();
                    }
                }
            }
        } finally {
            stream.cancel("begins anew", null);
        }
    }

    private void recovered() {
        if (inTrouble) {
            inTrouble = false;
            LOG.atInfo().addKeyValue("cluster", cluster).log("records are stored again");
        }
    }

    private Position store(RecordBatch batch) {
        if (batch.getGap()) {
            LOG.atError()
                    .addKeyValue("cluster", batch.getCluster())
                    .addKeyValue("after", store().position())
                    .log(
                            "records are missing: the controllers did not keep them until they were stored here");
        }
        return store().store(batch);
    }

    private RecordStore store() {
        var open = store;
        if (open == null) {
            open = new RecordStore(jdbi, months, clock, Objects.requireNonNull(cluster), identity);
            store = open;
        }
        return open;
    }

    private ClientCallStreamObserver<RecordsSeen> open(HostAndPort at, Hearing hearing) {
        var has = cluster == null ? null : store().cluster();
        var channel = channels.apply(at);
        channel.resetConnectBackoff();
        var _ = RecordsGrpc.newStub(channel).follow(hearing);
        var stream = Objects.requireNonNull(hearing.stream);
        stream.onNext(
                has == null ? seen(Position.START, "") : seen(has.position(), has.identity()));
        return stream;
    }

    private RecordsSeen seen(Position position, String of) {
        return RecordsSeen.newBuilder()
                .setIdentity(of)
                .setEntry(position.entry())
                .setOrdinal((int) position.ordinal())
                .setAddress(address.get())
                .setName(name)
                .build();
    }

    private static final class Hearing implements ClientResponseObserver<RecordsSeen, RecordBatch> {
        private final BlockingQueue<Heard> heard;
        private @Nullable ClientCallStreamObserver<RecordsSeen> stream;

        Hearing(BlockingQueue<Heard> heard) {
            this.heard = heard;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<RecordsSeen> requests) {
            stream = requests;
            requests.disableAutoRequestWithInitial(AHEAD);
        }

        @Override
        public void onNext(RecordBatch batch) {
            heard.add(new Heard.Batch(this, batch));
        }

        @Override
        public void onError(Throwable why) {
            heard.add(new Heard.End(this, why));
        }

        @Override
        public void onCompleted() {
            heard.add(
                    new Heard.End(
                            this,
                            Status.UNAVAILABLE
                                    .withDescription("the controller ended the stream")
                                    .asRuntimeException()));
        }
    }

    /// What is being stored is stored first.
    @Override
    public void close() {
        closed.countDown();
        heard.add(new Heard.Stop());
        try {
            if (!thread.join(Duration.ofSeconds(10))) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
