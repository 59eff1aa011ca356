package dev.spur.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControllerClientTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final SubmitJobRequest SUBMIT =
            SubmitJobRequest.newBuilder().setRequestId("made once").build();

    private final Channels channels = new Channels(new TransportSecurity.Plain());
    private final List<FakeController> controllers = new ArrayList<>();

    @AfterEach
    void stop() {
        channels.close();
        controllers.forEach(controller -> controller.server.shutdownNow());
    }

    @Test
    void aBusyControllerIsAskedAgainWithTheSameId() throws IOException {
        var controller = answering(ErrorCode.BUSY, ErrorCode.BUSY, null);

        assertThat(submit(LONG).getJobId()).isEqualTo(7);

        assertThat(controller.ids).containsExactly("made once", "made once", "made once");
    }

    @Test
    void aControllerThatStaysBusyIsReportedInItsOwnWords() throws IOException {
        always(ErrorCode.BUSY);

        var refusal = refusal(SHORT);

        assertThat(refusal.kind()).isEqualTo(ControllerException.Kind.BUSY);
        assertThat(refusal.code()).isEqualTo("BUSY");
        assertThat(refusal).hasMessage("told: BUSY");
    }

    @Test
    void anUnknownOutcomeIsAskedForAgainUntilItIsKnown() throws IOException {
        var controller = answering(ErrorCode.OUTCOME_UNKNOWN, null);

        assertThat(submit(LONG).getJobId()).isEqualTo(7);

        assertThat(controller.ids).containsExactly("made once", "made once");
    }

    @Test
    void whoGivesUpWithoutKnowingTheOutcomeSaysSo() throws IOException {
        always(ErrorCode.OUTCOME_UNKNOWN);

        var refusal = refusal(SHORT);

        assertThat(refusal.kind()).isEqualTo(ControllerException.Kind.OUTCOME_UNKNOWN);
        assertThat(refusal.code()).isEqualTo("OUTCOME_UNKNOWN");
        assertThat(refusal).hasMessageContaining("may or may not have happened");
    }

    @Test
    void anUnknownOutcomeStaysUnknownWhateverIsSaidLater() throws IOException {
        var controller = always(ErrorCode.NOT_LEADER);
        controller.answers.add(ErrorCode.OUTCOME_UNKNOWN);

        assertThat(refusal(SHORT).kind()).isEqualTo(ControllerException.Kind.OUTCOME_UNKNOWN);
    }

    @Test
    void aRefusalOfTheRepetitionIsTheOutcome() throws IOException {
        answering(ErrorCode.OUTCOME_UNKNOWN, ErrorCode.INVALID_PARTITION);

        var refusal = refusal(LONG);

        assertThat(refusal.kind()).isEqualTo(ControllerException.Kind.REFUSED);
        assertThat(refusal.code()).isEqualTo("INVALID_PARTITION");
    }

    @Test
    void aChangeWhoseAnswerGotLostMayHaveHappened() throws IOException {
        var controller = always(null);
        controller.dies = true;

        assertThat(refusal(SHORT).kind()).isEqualTo(ControllerException.Kind.OUTCOME_UNKNOWN);
    }

    @Test
    void aQuestionWhoseAnswerGotLostHasChangedNothing() throws IOException {
        var controller = always(null);
        controller.dies = true;

        var lost =
                catchThrowableOfType(
                        ControllerException.class,
                        () ->
                                client(SHORT)
                                        .each(
                                                c ->
                                                        c.listJobs(
                                                                ListJobsRequest
                                                                        .getDefaultInstance()),
                                                _ -> {}));

        assertThat(lost.kind()).isEqualTo(ControllerException.Kind.UNREACHABLE);
    }

    @Test
    void whereNobodyListensNothingHasHappened() throws IOException {
        always(null).server.shutdownNow();

        var refusal = refusal(SHORT);

        assertThat(refusal.kind()).isEqualTo(ControllerException.Kind.UNREACHABLE);
        assertThat(refusal).hasMessageStartingWith("no controller answers at 127.0.0.1:");
    }

    @Test
    void whatWillBeRefusedAgainIsNotRepeated() throws IOException {
        for (var code :
                List.of(
                        ErrorCode.TOO_MANY_JOBS,
                        ErrorCode.LIMIT_REACHED,
                        ErrorCode.TRANSITION_STATE,
                        ErrorCode.INTERNAL)) {
            stop();
            controllers.clear();
            var controller = always(code);

            var refusal =
                    catchThrowableOfType(
                            ControllerException.class,
                            () -> {
                                try (var own = new Channels(new TransportSecurity.Plain())) {
                                    client(own, LONG).call(c -> c.submitJob(SUBMIT));
                                }
                            });

            assertThat(refusal.kind()).as("%s", code).isEqualTo(ControllerException.Kind.REFUSED);
            assertThat(controller.ids).hasSize(1);
        }
    }

    @Test
    void theLeaderThatAFollowerNamesIsAsked() throws IOException {
        var follower = always(ErrorCode.NOT_LEADER);
        var leader = always(null);
        follower.leader = leader.address().toString();
        controllers.remove(leader);

        assertThat(submit(LONG).getJobId()).isEqualTo(7);

        assertThat(leader.ids).hasSize(1);
        controllers.add(leader);
    }

    @Test
    void controllersThatNameEachOtherAreNotAskedWithoutAPause() throws IOException {
        var one = always(ErrorCode.NOT_LEADER);
        var other = always(ErrorCode.NOT_LEADER);
        one.leader = other.address().toString();
        other.leader = one.address().toString();

        assertThat(refusal(Duration.ofMillis(500))).isNotNull();

        assertThat(one.ids.size() + other.ids.size()).isBetween(4, 40);
    }

    @Test
    void aListingThatHasBegunIsNotBegunAgain() throws IOException {
        var controller = always(null);
        controller.breaksOff = true;
        var pages = new ArrayList<ListJobsReply>();

        assertThatThrownBy(() ->
                        client(LONG)
                                .each(
                                        c -> c.listJobs(ListJobsRequest.getDefaultInstance()),
                                        pages::add))
                .isInstanceOf(ControllerException.class);

        assertThat(pages).hasSize(1);
    }

    private SubmitJobReply submit(Duration patience) {
        return client(patience).call(c -> c.submitJob(SUBMIT));
    }

    private ControllerException refusal(Duration patience) {
        return catchThrowableOfType(ControllerException.class, () -> submit(patience));
    }

    private ControllerClient client(Duration patience) {
        return client(channels, patience);
    }

    private ControllerClient client(Channels through, Duration patience) {
        return ControllerClient.withPatience(
                through,
                controllers.stream().map(FakeController::address).toList(),
                new CallerIdentity.Host(),
                patience);
    }

    /// @param answers one after the other; null is yes
    private FakeController answering(@Nullable ErrorCode... answers) throws IOException {
        var controller = always(null);
        controller.answers.addAll(Arrays.stream(answers).takeWhile(code -> code != null).toList());
        return controller;
    }

    private FakeController always(@Nullable ErrorCode answer) throws IOException {
        var controller = new FakeController(answer);
        controllers.add(controller);
        return controller;
    }

    private static final class FakeController extends ControllerGrpc.ControllerImplBase {
        final Server server;
        final int port;
        final List<String> ids = new ArrayList<>();
        final Queue<ErrorCode> answers = new ArrayDeque<>();
        final @Nullable ErrorCode then;
        String leader = "";
        boolean dies;
        boolean breaksOff;

        FakeController(@Nullable ErrorCode then) throws IOException {
            this.then = then;
            server =
                    NettyServerBuilder.forAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .addService(this)
                            .build()
                            .start();
            port = server.getPort();
        }

        HostAndPort address() {
            return new HostAndPort("127.0.0.1", port);
        }

        @Override
        public synchronized void submitJob(
                SubmitJobRequest request, StreamObserver<SubmitJobReply> reply) {
            ids.add(request.getRequestId());
            if (dies) {
                server.shutdownNow();
                return;
            }
            var answer = answers.isEmpty() ? then : answers.remove();
            if (answer != null) {
                reply.onError(refusal(answer));
                return;
            }
            reply.onNext(SubmitJobReply.newBuilder().setJobId(7).build());
            reply.onCompleted();
        }

        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            if (dies) {
                server.shutdownNow();
                return;
            }
            reply.onNext(ListJobsReply.getDefaultInstance());
            if (breaksOff) {
                reply.onError(Status.UNAVAILABLE.asRuntimeException());
            } else {
                reply.onCompleted();
            }
        }

        private StatusRuntimeException refusal(ErrorCode code) {
            var trailers = new Metadata();
            trailers.put(CallerHeaders.ERROR_CODE, code.name());
            trailers.put(CallerHeaders.ERRNO, Integer.toString(code.slurmErrno()));
            if (!leader.isEmpty()) {
                trailers.put(CallerHeaders.LEADER, leader);
            }
            return Status.fromCode(Status.Code.valueOf(code.grpcStatus()))
                    .withDescription("told: " + code)
                    .asRuntimeException(trailers);
        }
    }
}
