package dev.spur.controller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The controller's real port, with everybody at it who means no good.
@Timeout(120)
class CrowdedPortTest {
    private static final CallerIdentity ALICE =
            new CallerIdentity.Vouched(1002, 1002, "alice", List.of(1002));
    private static final CallerIdentity EVE =
            new CallerIdentity.Vouched(1004, 1004, "eve", List.of(1004));

    @TempDir Path directory;

    private InProcessController controller;
    private GrpcEndpoint port;
    private Channels login;
    private final List<AutoCloseable> parts = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        controller = new InProcessController(directory);
        port = controller.listen();
        login = channels(controller.identity("login1", HostRole.LOGIN));
    }

    @AfterEach
    void stop() throws Exception {
        for (var part : parts.reversed()) {
            part.close();
        }
        port.close();
        controller.close();
    }

    @Test
    void strangersWhoBeginRequestsAndSendNothingKeepNobodyOut() throws Exception {
        for (var i = 0; i < 40; i++) {
            var stranger = channels(new TransportSecurity.Tls(null, controller.trust()));
            for (var j = 0; j < 120; j++) {
                begin(stranger, JoiningGrpc.getJoinMethod(), new Metadata());
            }
        }

        assertServed(ALICE);
        assertThat(join("node1")).isEqualTo("compute");
    }

    @Test
    void aUserWhoBeginsRequestsAndSendsNothingKeepsNobodyOut() throws Exception {
        for (var i = 0; i < 5_000; i++) {
            begin(login, ControllerGrpc.getSubmitJobMethod(), CallerHeaders.of(EVE));
        }

        assertServed(ALICE);
        assertServed(EVE);
    }

    @Test
    void connectionsThatSayNothingKeepNobodyOut() throws Exception {
        for (var i = 0; i < 1_500; i++) {
            var silent = SocketChannel.open(new InetSocketAddress("127.0.0.1", port.port()));
            parts.add(silent);
        }

        assertServed(ALICE);
        assertThat(join("node1")).isEqualTo("compute");
    }

    @Test
    void aRequestThatIsTooLargeIsToldSoInWords() {
        var huge =
                SubmitJobRequest.newBuilder()
                        .setScript(ByteString.copyFrom(new byte[20 << 20]))
                        .build();

        assertThatThrownBy(() -> client(EVE).call(c -> c.submitJob(huge)))
                .isInstanceOf(ControllerException.class)
                .hasMessageContaining("larger than the 9 MiB")
                .extracting(e -> ((ControllerException) e).code())
                .isEqualTo("TEXT_TOO_LONG");
        assertServed(ALICE);
    }

    @Test
    void listingsThatNobodyReadsKeepNobodyOut() throws Exception {
        for (var i = 0; i < 2_000; i++) {
            var call = begin(login, ControllerGrpc.getListJobsMethod(), CallerHeaders.of(EVE));
            call.sendMessage(ListJobsRequest.getDefaultInstance());
            call.halfClose();
        }

        assertServed(ALICE);
    }

    @Test
    void aSmallMessageThatWouldBeLargeInMemoryIsRefusedBeforeItIsParsed() throws Exception {
        var parts = new byte[8 << 20];
        for (var i = 0; i < parts.length; i += 2) {
            parts[i] = JobSpec.COMPONENTS_FIELD_NUMBER << 3 | 2;
        }
        var message =
                SubmitJobRequest.newBuilder()
                        .setUnknownFields(
                                UnknownFieldSet.newBuilder()
                                        .addField(
                                                SubmitJobRequest.SPEC_FIELD_NUMBER,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addLengthDelimited(
                                                                ByteString.copyFrom(parts))
                                                        .build())
                                        .build())
                        .build();

        assertThat(answer(login, message, CallOptions.DEFAULT).getDescription())
                .contains("more parts than any message needs");
        assertServed(ALICE);
    }

    @Test
    void aMessageThatCannotBeReadIsToldSoInWords() throws Exception {
        var nothing =
                SubmitJobRequest.newBuilder()
                        .setUnknownFields(
                                UnknownFieldSet.newBuilder()
                                        .addField(
                                                SubmitJobRequest.SPEC_FIELD_NUMBER,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addLengthDelimited(
                                                                ByteString.copyFromUtf8("nonsense"))
                                                        .build())
                                        .build())
                        .build();

        var answer = answer(login, nothing, CallOptions.DEFAULT);

        assertThat(answer.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(answer.getDescription()).contains("cannot be read");
    }

    @Test
    void messagesThatGrowWhenTheyAreUnpackedAreNotTaken() throws Exception {
        var zeros =
                SubmitJobRequest.newBuilder()
                        .setScript(ByteString.copyFrom(new byte[1 << 20]))
                        .build();

        assertThat(answer(login, zeros, CallOptions.DEFAULT.withCompression("gzip")).getCode())
                .isEqualTo(Status.Code.UNIMPLEMENTED);
    }

    @Test
    void answersThatNobodyReadAreOnTheAccountOfWhoeverAsked() throws Exception {
        var script = new byte[4 << 20];
        Arrays.fill(script, (byte) '#');
        System.arraycopy("#!/bin/sh\n".getBytes(UTF_8), 0, script, 0, 10);
        var submission =
                SubmitJobRequest.newBuilder()
                        .setSpec(
                                JobSpec.newBuilder()
                                        .setHold(true)
                                        .setWorkDir("/")
                                        .addComponents(ResourceRequest.getDefaultInstance()))
                        .setScript(ByteString.copyFrom(script))
                        .build();
        var job = client(EVE).call(c -> c.submitJob(submission)).getJobId();
        var refusals = new ArrayBlockingQueue<Status>(100);
        var other = channels(controller.identity("login2", HostRole.LOGIN));
        for (var i = 0; i < 20; i++) {
            var call =
                    begin(
                            other,
                            ControllerGrpc.getGetScriptMethod(),
                            CallerHeaders.of(EVE),
                            refusals);
            call.sendMessage(GetScriptRequest.newBuilder().setJobId(job).build());
            call.halfClose();
        }

        assertThat(refusals.take().getDescription()).contains("too many requests of uid 1004");
        assertServed(ALICE);
    }

    /// How such a submission ends.
    private Status answer(Channels from, SubmitJobRequest message, CallOptions options)
            throws InterruptedException {
        var ends = new ArrayBlockingQueue<Status>(1);
        var call =
                from.controller(new HostAndPort("127.0.0.1", port.port()))
                        .newCall(ControllerGrpc.getSubmitJobMethod(), options);
        call.start(ending(ends), CallerHeaders.of(EVE));
        call.request(2);
        call.setMessageCompression(true);
        call.sendMessage(message);
        call.halfClose();
        return ends.take();
    }

    private static <R> ClientCall.Listener<R> ending(Queue<Status> ends) {
        return new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
                ends.add(status);
            }
        };
    }

    private void assertServed(CallerIdentity who) {
        assertThat(client(who).call(c -> c.ping(PingRequest.getDefaultInstance())).getVersion())
                .isNotEmpty();
        var pages = new ArrayList<Object>();
        client(who).each(c -> c.listJobs(ListJobsRequest.getDefaultInstance()), pages::add);
        assertThat(pages).hasSize(1);
    }

    private ControllerClient client(CallerIdentity who) {
        var address = new HostAndPort("127.0.0.1", port.port());
        return new ControllerClient(login, List.of(address), who);
    }

    private String join(String host) throws Exception {
        var token =
                JoinToken.parse(
                        controller
                                .as("root", 0)
                                .createJoinToken(CreateJoinTokenRequest.getDefaultInstance())
                                .getToken());
        var stranger = channels(new TransportSecurity.Tls(null, controller.trust()));
        return JoiningGrpc.newBlockingStub(
                        stranger.controller(new HostAndPort("127.0.0.1", port.port())))
                .join(
                        JoinRequest.newBuilder()
                                .setSecret(token.secret())
                                .setHost(host)
                                .setCsr(
                                        ByteString.copyFrom(
                                                HostKeys.create().certificateRequest(host)))
                                .build())
                .getRole();
    }

    /// Headers, and then silence.
    private <Q, R> ClientCall<Q, R> begin(
            Channels from, MethodDescriptor<Q, R> method, Metadata headers) {
        return begin(from, method, headers, new ConcurrentLinkedQueue<>());
    }

    private <Q, R> ClientCall<Q, R> begin(
            Channels from, MethodDescriptor<Q, R> method, Metadata headers, Queue<Status> ends) {
        var call =
                from.controller(new HostAndPort("127.0.0.1", port.port()))
                        .newCall(sendingAtOnce(method), CallOptions.DEFAULT);
        call.start(ending(ends), headers);
        return call;
    }

    /// A client keeps the headers of a unary call until its message is there.
    private static <Q, R> MethodDescriptor<Q, R> sendingAtOnce(MethodDescriptor<Q, R> method) {
        return method.toBuilder().setType(MethodDescriptor.MethodType.BIDI_STREAMING).build();
    }

    private Channels channels(TransportSecurity security) {
        var channels = new Channels(security);
        parts.add(channels);
        return channels;
    }
}
