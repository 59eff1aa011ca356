package dev.spur.api.client;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.JoiningGrpc;
import dev.spur.api.v1.RenewCertificateRequest;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// How a host asks for a certificate: without one, and with one that ends soon.
public final class JoiningClient {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Channels channels;
    private final List<HostAndPort> controllers;

    JoiningClient(Channels channels, List<HostAndPort> controllers) {
        this.channels = channels;
        this.controllers = List.copyOf(controllers);
    }

    /// Asks the controllers, and the leader that they name, until one of them decides. While none
    /// leads they are asked again for a while. If none can be asked, the last failure is thrown.
    ///
    /// @param trust by which the host knows the cluster: the fingerprint in its join token
    /// @param role what the host must become; empty: whatever the token grants
    /// @param request DER of the certificate request
    public static JoinReply join(
            List<HostAndPort> controllers,
            TrustManager trust,
            String secret,
            String host,
            String role,
            byte[] request) {
        var asked =
                JoinRequest.newBuilder()
                        .setSecret(secret)
                        .setHost(host)
                        .setRole(role)
                        .setCsr(ByteString.copyFrom(request))
                        .build();
        if (controllers.isEmpty()) {
            throw new IllegalArgumentException("the join token names no controller");
        }
        try (var channels = new Channels(new TransportSecurity.Tls(null, trust))) {
            return new JoiningClient(channels, controllers)
                    .join(asked, System.nanoTime() + PATIENCE.toNanos());
        }
    }

    JoinReply join(JoinRequest request, long deadline) {
        while (true) {
            var round = new Round();
            for (var at = round.next(); at != null; at = round.next()) {
                try {
                    return JoiningGrpc.newBlockingStub(channels.controller(at))
                            .withDeadlineAfter(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                            .join(request);
                } catch (StatusRuntimeException e) {
                    round.failed(e);
                }
            }
            if (!round.isWorthAnother() || System.nanoTime() > deadline) {
                throw ControllerException.of(round.failure());
            }
            rest(round.failure());
        }
    }

    /// Each controller once, and whichever leads.
    private final class Round {
        private final Deque<HostAndPort> toAsk = new ArrayDeque<>(controllers);
        private final Set<HostAndPort> asked = new HashSet<>();
        private @Nullable StatusRuntimeException failure;
        private boolean isUndecided;

        @Nullable HostAndPort next() {
            while (!toAsk.isEmpty()) {
                var controller = toAsk.removeFirst();
                if (asked.add(controller)) {
                    return controller;
                }
            }
            return null;
        }

        /// Whoever cannot be reached does not outweigh one that answered.
        void failed(StatusRuntimeException e) {
            var code = ControllerException.code(e);
            if (code.isPresent() && !ControllerClient.mayPass(e)) {
                throw ControllerException.of(e);
            }
            isUndecided |= code.isPresent();
            if (failure == null || code.isPresent()) {
                failure = e;
            }
            var leader = e.getTrailers() == null ? null : e.getTrailers().get(CallerHeaders.LEADER);
            if (leader != null && !leader.isEmpty()) {
                toAsk.addFirst(HostAndPort.parse(leader, HostAndPort.CONTROLLER_PORT));
            }
        }

        boolean isWorthAnother() {
            return isUndecided;
        }

        StatusRuntimeException failure() {
            return Objects.requireNonNull(failure);
        }
    }

    private static void rest(StatusRuntimeException why) {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ControllerException.unreachable("interrupted while waiting for a leader", why);
        }
    }

    /// How to ask each controller for a certificate in place of the one with which the channels are
    /// made: DER of the request becomes DER of the certificate.
    public static List<UnaryOperator<byte[]>> renewals(
            Channels channels, List<HostAndPort> controllers) {
        return controllers.stream()
                .<UnaryOperator<byte[]>>map(
                        controller -> request -> renew(channels.controller(controller), request))
                .toList();
    }

    private static byte[] renew(ManagedChannel controller, byte[] request) {
        return ControllerGrpc.newBlockingStub(controller)
                .withDeadlineAfter(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                .renewCertificate(
                        RenewCertificateRequest.newBuilder()
                                .setCsr(ByteString.copyFrom(request))
                                .build())
                .getCertificate()
                .toByteArray();
    }
}
