package dev.spur.accounting;

import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.accounting.archive.Retention;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The whole daemon, with a controller that tells one job and knows alice and an operator.
class AccountingTest {
    private static final TestDatabase DATABASE = TestDatabase.create();

    private final Told told = new Told().job(NOON, job(1));
    private final BlockingQueue<RecordsSeen> seen = new LinkedBlockingQueue<>();
    private volatile @Nullable StreamObserver<RecordBatch> controllerTells;
    private Server controller;
    private Accounting accounting;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        DATABASE.empty();
        controller =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new Controller())
                        .build()
                        .start();
        var options =
                new AccountingOptions(
                        List.of(new HostAndPort("127.0.0.1", controller.getPort())),
                        Told.CLUSTER,
                        new HostAndPort("127.0.0.1", 0),
                        "127.0.0.1",
                        "acct",
                        null,
                        Retention.FOR_EVER,
                        InstantSource.system());
        accounting = Accounting.start(null, DATABASE.address(), options);
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", accounting.port())
                        .usePlaintext()
                        .build();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        accounting.close();
        controller.shutdownNow();
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    private final class Controller extends RecordsGrpc.RecordsImplBase {
        @Override
        public StreamObserver<RecordsSeen> follow(StreamObserver<RecordBatch> toDatabase) {
            return new StreamObserver<>() {
                @Override
                public void onNext(RecordsSeen value) {
                    controllerTells = toDatabase;
                    if (value.getEntry() == 0) {
                        toDatabase.onNext(told.all());
                    }
                    seen.add(value);
                }

                @Override
                public void onError(Throwable cause) {}

                @Override
                public void onCompleted() {}
            };
        }

        @Override
        public void identify(IdentifyRequest request, StreamObserver<IdentifyReply> reply) {
            if (request.getUser().equals("mallory")) {
                reply.onError(Status.PERMISSION_DENIED.asRuntimeException());
                return;
            }
            reply.onNext(
                    IdentifyReply.newBuilder()
                            .setUid(request.getUid())
                            .setUser(request.getUser())
                            .setRole(request.getUser().equals("oper") ? "operator" : "user")
                            .build());
            reply.onCompleted();
        }
    }

    private HistoryGrpc.HistoryBlockingStub as(String user, int uid) {
        var identity = new CallerIdentity.Vouched(uid, uid, user, List.of(uid));
        return HistoryGrpc.newBlockingStub(channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .withInterceptors(
                        MetadataUtils.newAttachHeadersInterceptor(CallerHeaders.of(identity)));
    }

    private void awaitStored() throws InterruptedException {
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void whatTheControllerToldIsShownToWhoMaySeeIt() throws Exception {
        awaitStored();
        var request =
                ListJobHistoryRequest.newBuilder()
                        .setQuery(RecordQuery.newBuilder().addIds("1"))
                        .build();

        assertThat(as("alice", 1001).listJobs(request).next().getJobsList()).hasSize(1);
        assertThat(as("bob", 1002).listJobs(request).next().getJobsList()).isEmpty();
        assertThat(as("oper", 1003).listJobs(request).next().getJobsList()).hasSize(1);
    }

    @Test
    void tellsTheControllersWhereItIs() throws Exception {
        assertThat(requireNonNull(seen.poll(30, TimeUnit.SECONDS)).getAddress())
                .isEqualTo("127.0.0.1:" + accounting.port());
    }

    @Test
    void whomTheControllersRefuseGetsNoAnswer() {
        assertThatThrownBy(() ->
                        as("mallory", 1009)
                                .listJobs(ListJobHistoryRequest.getDefaultInstance())
                                .next())
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("PERMISSION_DENIED");
    }

    @Test
    void changesAndFiguresAreForOperators() {
        assertThatThrownBy(() ->
                        as("alice", 1001)
                                .listTransactions(ListTransactionsRequest.getDefaultInstance())
                                .next())
                .hasMessageContaining("Access/permission denied");
        assertThatThrownBy(() -> as("alice", 1001).stats(HistoryStatsRequest.getDefaultInstance()))
                .hasMessageContaining("Access/permission denied");

        assertThat(
                        as("oper", 1003)
                                .stats(HistoryStatsRequest.getDefaultInstance())
                                .getDatabaseVersion())
                .isNotEmpty();
    }

    @Test
    void whoDoesNotReadHisAnswersHoldsUpNoRecords() throws Exception {
        awaitStored();
        for (var id = 2; id <= 9_000; id++) {
            told.job(NOON, job(id).setSubmitLine("x".repeat(900)));
        }
        requireNonNull(controllerTells).onNext(told.batch(1, told.records().size()));
        assertThat(seen.poll(60, TimeUnit.SECONDS)).as("stored").isNotNull();
        var unread = new ArrayList<Iterator<ListJobHistoryReply>>();
        for (var user = 0; user < 4; user++) {
            for (var call = 0; call < 3; call++) {
                var asked =
                        as("oper", 2_000 + user)
                                .listJobs(ListJobHistoryRequest.getDefaultInstance());
                asked.next();
                unread.add(asked);
                if (unread.size() == 10) {
                    break; // all connections for questions
                }
            }
        }

        told.job(NOON, job(9_001));
        requireNonNull(controllerTells).onNext(told.batch(9_000, 9_001));

        assertThat(seen.poll(30, TimeUnit.SECONDS)).as("stored").isNotNull();
        assertThat(unread).hasSizeGreaterThanOrEqualTo(10);
    }

    @Test
    void aRequestThatIsTooLargeIsRefusedInWords() {
        var request =
                ListJobHistoryRequest.newBuilder()
                        .setQuery(RecordQuery.newBuilder().addUsers("x".repeat(100_000)))
                        .build();

        assertThatThrownBy(() -> as("alice", 1001).listJobs(request).next())
                .hasMessageContaining("users");
    }
}
