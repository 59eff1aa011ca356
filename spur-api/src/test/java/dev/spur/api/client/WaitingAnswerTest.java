package dev.spur.api.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Users of one host share its connection to the controller.
@Timeout(60)
final class WaitingAnswerTest {
    private static final int PAGES = 32;

    private static final ListJobsReply PAGE =
            ListJobsReply.newBuilder()
                    .addJobs(Job.newBuilder().setComment("x".repeat(64 << 10)))
                    .build();

    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch room = new CountDownLatch(1);
    private Server server;

    @BeforeEach
    void serve() throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(new LongAnswers())
                        .build()
                        .start();
    }

    @AfterEach
    void stop() {
        room.countDown();
        channels.close();
        server.shutdownNow();
    }

    @Test
    void anAnswerThatWaitsForMemoryKeepsNobodyElseWaiting() throws Exception {
        var crowded = CompletableFuture.supplyAsync(() -> pages(new Full()));
        waiting.await();

        var other = CompletableFuture.supplyAsync(() -> pages(AnswerAccount.NOBODYS));

        assertThat(other).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(PAGES);
        room.countDown();
        assertThat(crowded).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(PAGES);
    }

    private int pages(AnswerAccount account) {
        var port = ((InetSocketAddress) server.getListenSockets().getFirst()).getPort();
        var caller = new CallerIdentity.Vouched(1001, 1001, "eve", List.of(1001));
        var pages = new AtomicInteger();
        new ControllerClient(channels, List.of(new HostAndPort("127.0.0.1", port)), caller, account)
                .each(
                        stub -> stub.listJobs(ListJobsRequest.getDefaultInstance()),
                        _ -> pages.incrementAndGet());
        return pages.get();
    }

    /// Of a user whose other commands have all the memory.
    private final class Full implements AnswerAccount {
        @Override
        public void ask() {}

        @Override
        public void hold(long bytes) {
            waiting.countDown();
            try {
                room.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final class LongAnswers extends ControllerGrpc.ControllerImplBase {
        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            for (var i = 0; i < PAGES; i++) {
                reply.onNext(PAGE);
            }
            reply.onCompleted();
        }
    }
}
