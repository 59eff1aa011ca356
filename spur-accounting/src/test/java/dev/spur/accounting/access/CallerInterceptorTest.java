package dev.spur.accounting.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.port.Connections;
import dev.spur.api.v1.GetJobFileReply;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.IdentifyReply;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallerInterceptorTest {
    private final CallCounts counts = new CallCounts();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final BlockingQueue<Viewer> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<Status> ended = new LinkedBlockingQueue<>();
    private CallerInterceptor interceptor;
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        var identities =
                new Identities(
                        request ->
                                IdentifyReply.newBuilder()
                                        .setUid(request.getUid())
                                        .setUser(request.getUser())
                                        .build(),
                        () -> Instant.EPOCH);
        interceptor = new CallerInterceptor(identities, counts, Duration.ofMillis(500));
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addTransportFilter(new Peers(false, new Connections()))
                        .intercept(interceptor)
                        .addService(new History())
                        .build()
                        .start();
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
    }

    @AfterEach
    void stop() {
        answer.countDown();
        channel.shutdownNow();
        server.shutdownNow();
        interceptor.close();
    }

    private final class History extends HistoryGrpc.HistoryImplBase {
        @Override
        public void getJobFile(GetJobFileRequest request, StreamObserver<GetJobFileReply> reply) {
            asked.add(Viewer.current());
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            reply.onNext(GetJobFileReply.getDefaultInstance());
            reply.onCompleted();
        }
    }

    private static Metadata headers(String user, int uid) {
        return CallerHeaders.of(new CallerIdentity.Vouched(uid, uid, user, List.of(uid)));
    }

    /// Begins a call, and says what he asks for or not.
    private ClientCall<GetJobFileRequest, GetJobFileReply> begin(String user, boolean asks) {
        // Of a call with one message the client says nothing before it has that.
        var method =
                HistoryGrpc.getGetJobFileMethod().toBuilder()
                        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                        .build();
        var call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.add(status);
                    }
                },
                headers(user, 1001));
        call.request(1);
        if (asks) {
            call.sendMessage(GetJobFileRequest.getDefaultInstance());
            call.halfClose();
        }
        return call;
    }

    private HistoryGrpc.HistoryBlockingStub as(String user, int uid) {
        return HistoryGrpc.newBlockingStub(channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers(user, uid)));
    }

    private Status nextEnd() throws InterruptedException {
        var status = ended.poll(30, TimeUnit.SECONDS);
        assertThat(status).as("a call ended").isNotNull();
        return java.util.Objects.requireNonNull(status);
    }

    @Test
    void whoBeginsCallsAndAsksNothingMakesRoom() throws Exception {
        answer.countDown();
        for (var i = 0; i < 4; i++) {
            begin("alice", false);
        }

        for (var i = 0; i < 4; i++) {
            assertThat(nextEnd().getDescription()).contains("nothing was asked");
        }

        as("alice", 1001).getJobFile(GetJobFileRequest.getDefaultInstance());
        assertThat(asked).hasSize(1);
    }

    @Test
    void oneUsersQuestionsLeaveRoomForThoseOfOthers() throws Exception {
        for (var i = 0; i < 4; i++) {
            begin("alice", true);
        }
        for (var i = 0; i < 4; i++) {
            assertThat(asked.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
        assertThatThrownBy(
                        () -> as("alice", 1001).getJobFile(GetJobFileRequest.getDefaultInstance()))
                .hasMessageContaining("answers 4 of your questions already");

        answer.countDown();
        as("bob", 1002).getJobFile(GetJobFileRequest.getDefaultInstance());

        assertThat(asked.take().user()).isEqualTo("bob");
    }

    @Test
    void whoHangsUpIsNotCountedAnyMore() throws Exception {
        for (var round = 0; round < 3; round++) {
            for (var i = 0; i < 4; i++) {
                begin("alice", false).cancel("no more", null);
                assertThat(nextEnd().getCode()).isEqualTo(Status.Code.CANCELLED);
            }
        }
        answer.countDown();

        as("bob", 1002).getJobFile(GetJobFileRequest.getDefaultInstance());

        assertThat(counts.all()).anyMatch(one -> one.getUser().equals("bob"));
    }

    @Test
    void whatIsTooLargeIsRefusedBeforeItIsLookedAt() {
        assertThatThrownBy(() ->
                        as("alice", 1001)
                                .getJobFile(
                                        GetJobFileRequest.newBuilder()
                                                .setJob("1".repeat(2_000))
                                                .build()))
                .hasMessageContaining("job has 2000 bytes");
        assertThat(asked).isEmpty();
    }
}
