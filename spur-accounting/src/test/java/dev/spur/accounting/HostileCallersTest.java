package dev.spur.accounting;

import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.ended;
import static dev.spur.accounting.Told.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.spur.accounting.archive.Retention;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.ArchiveRequest;
import dev.spur.api.v1.FixRunawaysRequest;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.api.v1.ListEventsRequest;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListRunawaysRequest;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.api.v1.ReportRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostRole;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What somebody tries at spurdbd's port who means no good: with TLS, a real database, and a
/// controller that knows alice and bob, lets people see their own jobs only, and issued one token.
class HostileCallersTest {
    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final CallerIdentity ALICE = vouched("alice", 1001);
    private static final CallerIdentity BOB = vouched("bob", 1002);

    @TempDir static Path directory;
    private static final BlockingQueue<IdentifyRequest> identified = new LinkedBlockingQueue<>();
    private static final BlockingQueue<RecordsSeen> seen = new LinkedBlockingQueue<>();
    private static ClusterCa ca;
    private static HostIdentity login;
    private static Server controller;
    private static Accounting accounting;

    private final List<ManagedChannel> channels = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.system());
        login = ca.createIdentity(directory.resolve("login"), "login1", HostRole.LOGIN);
        var ctl = ca.createIdentity(directory.resolve("ctl"), "ctl1", HostRole.CONTROLLER);
        var own = ca.createIdentity(directory.resolve("acct"), "acct1", HostRole.ACCOUNTING);
        controller =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .sslContext(
                                GrpcSslContexts.configure(
                                                io.grpc.netty.shaded.io.netty.handler.ssl
                                                        .SslContextBuilder.forServer(
                                                                ctl.keyManager())
                                                        .trustManager(ctl.trustManager()))
                                        .build())
                        .addService(new Controller())
                        .build()
                        .start();
        var options =
                new AccountingOptions(
                        List.of(new HostAndPort("127.0.0.1", controller.getPort())),
                        Told.CLUSTER,
                        new HostAndPort("127.0.0.1", 0),
                        "127.0.0.1",
                        "acct1",
                        own,
                        Retention.FOR_EVER,
                        InstantSource.system());
        accounting = Accounting.start(null, DATABASE.address(), options);
        assertThat(seen.poll(30, TimeUnit.SECONDS)).as("asked for records").isNotNull();
        assertThat(seen.poll(30, TimeUnit.SECONDS)).as("stored").isNotNull();
    }

    @AfterAll
    static void stop() {
        accounting.close();
        controller.shutdownNow();
        DATABASE.close();
    }

    @AfterEach
    void hangUp() {
        channels.forEach(ManagedChannel::shutdownNow);
        identified.clear();
    }

    private static final class Controller extends RecordsGrpc.RecordsImplBase {
        @Override
        public StreamObserver<RecordsSeen> follow(StreamObserver<RecordBatch> toDatabase) {
            return new StreamObserver<>() {
                @Override
                public void onNext(RecordsSeen value) {
                    if (value.getEntry() == 0) {
                        toDatabase.onNext(
                                new Told()
                                        .capacity(NOON, 8)
                                        .job(NOON, job(1))
                                        .job(NOON, ended(2, NOON, NOON.plusSeconds(3_600)))
                                        .all());
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
            identified.add(request);
            if (!request.getToken().isEmpty() && !request.getToken().equals("alice's")) {
                reply.onError(
                        Status.UNAUTHENTICATED
                                .withDescription("the token has expired")
                                .asRuntimeException());
                return;
            }
            reply.onNext(
                    IdentifyReply.newBuilder()
                            .setUid(request.getToken().isEmpty() ? request.getUid() : 1001)
                            .setUser(request.getToken().isEmpty() ? request.getUser() : "alice")
                            .setRole("user")
                            .build());
            reply.onCompleted();
        }
    }

    private static CallerIdentity vouched(String user, int uid) {
        return new CallerIdentity.Vouched(uid, uid, user, List.of(uid));
    }

    private HistoryGrpc.HistoryBlockingStub from(
            @Nullable HostIdentity host, @Nullable CallerIdentity who) throws IOException {
        var ssl =
                io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder.forClient()
                        .trustManager(login.trustManager());
        if (host != null) {
            ssl.keyManager(host.keyManager());
        }
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", accounting.port())
                        .sslContext(GrpcSslContexts.configure(ssl).build())
                        .overrideAuthority(ClusterCa.ACCOUNTING_NAME)
                        .maxInboundMessageSize(64 << 20)
                        .build();
        channels.add(channel);
        var stub = HistoryGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
        return who == null
                ? stub
                : stub.withInterceptors(
                        MetadataUtils.newAttachHeadersInterceptor(CallerHeaders.of(who)));
    }

    private static List<Integer> jobs(
            HistoryGrpc.HistoryBlockingStub stub, RecordQuery.Builder query) {
        var found = new ArrayList<Integer>();
        stub.listJobs(ListJobHistoryRequest.newBuilder().setQuery(query).build())
                .forEachRemaining(reply -> found.addAll(ids(reply)));
        return found;
    }

    private static List<Integer> ids(ListJobHistoryReply reply) {
        return reply.getJobsList().stream().map(job -> job.getJob().getJobId()).toList();
    }

    @Test
    void peopleOfAHostOfTheClusterAndOwnersOfTokensAreAnswered() throws Exception {
        assertThat(jobs(from(login, ALICE), RecordQuery.newBuilder())).containsExactly(1, 2);
        assertThat(jobs(from(null, new CallerIdentity.Bearer("alice's")), RecordQuery.newBuilder()))
                .containsExactly(1, 2);
    }

    @Test
    void certificateOfAnotherClusterOpensNothing() throws Exception {
        var foreign =
                ClusterCa.openOrCreate(directory.resolve("foreign"), "test", InstantSource.system())
                        .createIdentity(directory.resolve("f"), "login1", HostRole.CONTROLLER);

        assertThatThrownBy(() -> jobs(from(foreign, ALICE), RecordQuery.newBuilder()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageStartingWith("UNAVAILABLE");
        assertThat(identified).isEmpty();
    }

    @Test
    void whoHasNoCertificateIsNotBelievedWhoHeIs() throws Exception {
        for (var who : new CallerIdentity[] {ALICE, vouched("root", 0)}) {
            assertThatThrownBy(() -> jobs(from(null, who), RecordQuery.newBuilder()))
                    .hasMessageContaining("say who you are");
        }
        assertThatThrownBy(() -> jobs(from(null, null), RecordQuery.newBuilder()))
                .hasMessageContaining("say who you are");
        assertThat(identified).isEmpty();
    }

    @Test
    void expiredTokenIsRefusedEachTimeInTheControllersWords() throws Exception {
        var expired = new CallerIdentity.Bearer("expired");

        for (var i = 0; i < 2; i++) {
            assertThatThrownBy(() -> jobs(from(null, expired), RecordQuery.newBuilder()))
                    .hasMessageContaining("UNAUTHENTICATED")
                    .hasMessageContaining("the token has expired");
        }
        // Also beside the certificate of a host.
        assertThatThrownBy(() -> jobs(from(login, expired), RecordQuery.newBuilder()))
                .hasMessageContaining("the token has expired");
        assertThat(identified).hasSize(3).allMatch(one -> one.getHost().isEmpty());
    }

    @Test
    void othersHistoryIsFoundByNoQuestion() throws Exception {
        var bob = from(login, BOB);

        for (var query :
                List.of(
                        RecordQuery.newBuilder(),
                        RecordQuery.newBuilder().addIds("1").addIds("2"),
                        RecordQuery.newBuilder().addUsers("alice"),
                        RecordQuery.newBuilder().addUsers("1001").addUsers("bob"),
                        RecordQuery.newBuilder().addAccounts("physics"),
                        RecordQuery.newBuilder().addNames("train").setDuplicates(true),
                        RecordQuery.newBuilder().addStates("COMPLETED").setFromMicros(1),
                        RecordQuery.newBuilder().addAssociationIds(7).setSteps(true))) {
            assertThat(jobs(bob, query)).as(query.toString()).isEmpty();
        }
        assertThatThrownBy(() -> bob.getJobFile(GetJobFileRequest.newBuilder().setJob("2").build()))
                .hasMessageContaining("Invalid job id specified");
    }

    static Stream<String> reports() {
        return Stream.of(
                "cluster accountutilizationbyuser",
                "cluster userutilizationbyaccount",
                "cluster userutilizationbywckey",
                "cluster wckeyutilizationbyuser",
                "user topusage",
                "job sizesbyaccount",
                "job sizesbywckey",
                "job sizesbyaccountandwckey");
    }

    @ParameterizedTest
    @MethodSource("reports")
    void reportsTellNobodyWhatOthersUsed(String kind) throws Exception {
        var request =
                ReportRequest.newBuilder()
                        .setKind(kind)
                        .setFromMicros(Told.micros(NOON))
                        .setUntilMicros(Told.micros(NOON.plusSeconds(7_200)))
                        .build();

        assertThat(from(login, ALICE).report(request).getRowsList()).as("alice's own").isNotEmpty();
        assertThat(from(login, BOB).report(request).getRowsList())
                .allSatisfy(row -> {
                    assertThat(row.getUser()).isNotEqualTo("alice");
                    assertThat(row.getSecondsMap().values()).allMatch(used -> used == 0);
                    assertThat(row.getBucketJobsList()).allMatch(count -> count == 0);
                });
    }

    @Test
    void whatIsForOperatorsIsRefusedToUsers() throws Exception {
        var alice = from(login, ALICE);

        for (Consumer<HistoryGrpc.HistoryBlockingStub> forbidden :
                List.<Consumer<HistoryGrpc.HistoryBlockingStub>>of(
                        stub ->
                                stub.listTransactions(ListTransactionsRequest.getDefaultInstance())
                                        .next(),
                        stub -> stub.listRunaways(ListRunawaysRequest.getDefaultInstance()),
                        stub ->
                                stub.fixRunaways(
                                        FixRunawaysRequest.newBuilder().addDbIndices(1).build()),
                        stub -> stub.stats(HistoryStatsRequest.getDefaultInstance()),
                        stub ->
                                stub.archive(
                                        ArchiveRequest.newBuilder().setLoad("/etc/shadow").build()),
                        stub ->
                                stub.archive(
                                        ArchiveRequest.newBuilder()
                                                .setBeforeMicros(Told.micros(NOON) * 2)
                                                .addKinds("job")
                                                .setPurge(true)
                                                .build()))) {
            assertThatThrownBy(() -> forbidden.accept(alice))
                    .hasMessageContaining("Access/permission denied");
        }
        assertThat(jobs(from(login, ALICE), RecordQuery.newBuilder())).containsExactly(1, 2);
    }

    @Test
    void questionsThatAreTooLargeAreRefusedAndSmallOnesStillAnswered() throws Exception {
        var many = RecordQuery.newBuilder();
        for (var id = 0; id <= 10_000; id++) {
            many.addIds(Integer.toString(id));
        }
        var alice = from(login, ALICE);

        assertThatThrownBy(() -> jobs(alice, many)).hasMessageContaining("ids has 10001 elements");
        assertThatThrownBy(
                        () -> jobs(alice, RecordQuery.newBuilder().addNames("x".repeat(20 << 20))))
                .hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThatThrownBy(() -> jobs(alice, RecordQuery.newBuilder().addNodes("n[0-999999999]")))
                .hasMessageContaining("INVALID_ARGUMENT");
        assertThatThrownBy(() -> jobs(alice, RecordQuery.newBuilder().setFromMicros(-1)))
                .hasMessageContaining("no time between");
        assertThatThrownBy(() -> jobs(alice, RecordQuery.newBuilder().addNames("a\u001b[2Jb")))
                .hasMessageContaining("control character");
        assertThat(jobs(alice, RecordQuery.newBuilder())).containsExactly(1, 2);
    }

    /// Each text of each request, one after the other and all at once.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'; drop table job; --",
                "x' or '1'='1",
                "\\",
                "\"",
                "$1",
                ":cluster",
                "?",
                "%",
                "{a,b}",
                "\uD83D\uDE00"
            })
    void noTextBecomesSql(String text) throws Exception {
        var alice = from(login, ALICE);
        for (var request :
                List.<Message>of(
                        ListJobHistoryRequest.getDefaultInstance(),
                        GetJobFileRequest.getDefaultInstance(),
                        ReportRequest.newBuilder().setKind("user topusage").build(),
                        ReportRequest.newBuilder().setKind("job sizesbyaccount").build(),
                        ReportRequest.newBuilder().setKind("reservation utilization").build(),
                        ListEventsRequest.getDefaultInstance())) {
            for (var filled : filled(request, text)) {
                ask(alice, filled);
            }
        }

        assertThat(jobs(alice, RecordQuery.newBuilder())).containsExactly(1, 2);
    }

    private static List<Message> filled(Message request, String text) {
        var all = new ArrayList<Message>();
        for (var field : request.getDescriptorForType().getFields()) {
            if (field.getJavaType() == FieldDescriptor.JavaType.STRING
                    && (field.isRepeated() || !request.hasField(field))) {
                all.add(with(request, field, text));
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.isRepeated()) {
                filled((Message) request.getField(field), text)
                        .forEach(inner ->
                                all.add(request.toBuilder().setField(field, inner).build()));
            }
        }
        return all;
    }

    private static Message with(Message message, FieldDescriptor field, String text) {
        return field.isRepeated()
                ? message.toBuilder().addRepeatedField(field, text).build()
                : message.toBuilder().setField(field, text).build();
    }

    /// Answered, or refused as what cannot be meant: never as a failure of the database.
    private static void ask(HistoryGrpc.HistoryBlockingStub stub, Message request) {
        try {
            switch (request) {
                case ListJobHistoryRequest jobs -> stub.listJobs(jobs).forEachRemaining(_ -> {});
                case GetJobFileRequest file -> stub.getJobFile(file);
                case ReportRequest report -> stub.report(report);
                case ListEventsRequest events -> stub.listEvents(events).forEachRemaining(_ -> {});
                default -> throw new IllegalStateException(request.toString());
            }
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode())
                    .as("%s: %s", request, e)
                    .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND);
        }
    }
}
