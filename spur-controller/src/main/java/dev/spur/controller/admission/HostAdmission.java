package dev.spur.controller.admission;

import com.google.protobuf.ByteString;
import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.CreateJoinTokenReply;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.JoinReply;
import dev.spur.api.v1.JoinRequest;
import dev.spur.api.v1.RenewCertificateReply;
import dev.spur.api.v1.RenewCertificateRequest;
import dev.spur.api.v1.RevokeCertificateReply;
import dev.spur.api.v1.RevokeCertificateRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.Peer;
import java.math.BigInteger;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public final class HostAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(HostAdmission.class);
    private static final Duration USUAL = Duration.ofHours(1);

    private final Proposals proposals;
    private final ReplicatedState state;
    private final ClusterCa ca;
    private final List<HostAndPort> controllers;
    private final Expelled expelled;

    /// Told of a host that must not stay connected.
    @FunctionalInterface
    public interface Expelled {
        void disconnect(String host);
    }

    public HostAdmission(
            Proposals proposals,
            ReplicatedState state,
            ClusterCa ca,
            List<HostAndPort> controllers,
            Expelled expelled) {
        this.expelled = expelled;
        this.proposals = proposals;
        this.state = state;
        this.ca = ca;
        this.controllers = List.copyOf(controllers);
    }

    public CreateJoinTokenReply createJoinToken(
            CreateJoinTokenRequest request, Caller.Person caller) {
        var role =
                HostRole.of(request.getRole().isEmpty() ? "compute" : request.getRole())
                        .orElseThrow(() ->
                                new SpurException(
                                        ErrorCode.INVALID_REQUEST,
                                        "\"%s\" is not a role of a host: use compute, login, admin or controller"
                                                .formatted(request.getRole())));
        var token = JoinToken.create(controllers, ca.fingerprint());
        var lifespan =
                request.getLifespanSeconds() == 0
                        ? USUAL
                        : Duration.ofSeconds(Integer.toUnsignedLong(request.getLifespanSeconds()));
        var expires = proposals.now().plus(lifespan);
        var result =
                proposals.decide(at ->
                        new Command.CreateJoinToken(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                new dev.spur.engine.state.JoinToken(
                                        token.secretHash(),
                                        role.word(),
                                        request.getHost(),
                                        at,
                                        expires,
                                        "")));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
        return CreateJoinTokenReply.newBuilder()
                .setToken(token.reveal())
                .setExpiresMicros(InstantMapper.toMicros(expires))
                .build();
    }

    /// Open to strangers: the secret is what counts, and it counts once.
    public JoinReply join(JoinRequest request) {
        var hash = JoinToken.hash(request.getSecret());
        var granted =
                Optional.ofNullable(state.snapshot().credentials().joinTokens().get(hash))
                        .orElseThrow(HostAdmission::refused);
        var role = HostRole.of(granted.hostRole()).orElseThrow(HostAdmission::refused);
        if (!granted.host().isEmpty() && !granted.host().equals(request.getHost())) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "this join token is for %s, not for %s"
                            .formatted(granted.host(), request.getHost()));
        }
        // Before the secret is used up: a bad request must not cost the token.
        var certificate =
                ca.issue(
                        new Peer(request.getHost(), role, BigInteger.ONE).host(),
                        role,
                        request.getCsr().toByteArray());
        var result = proposals.decide(at -> new Command.UseJoinToken(at, hash, request.getHost()));
        if (!(result instanceof Result.Done)) {
            throw refused();
        }
        LOG.atInfo()
                .addKeyValue("host", request.getHost())
                .addKeyValue("role", role.word())
                .log("host joined");
        return JoinReply.newBuilder()
                .setCertificate(encoded(certificate))
                .setCa(ByteString.copyFrom(ca.certificateBytes()))
                .setRole(role.word())
                .build();
    }

    public RenewCertificateReply renew(RenewCertificateRequest request, Peer peer) {
        return RenewCertificateReply.newBuilder()
                .setCertificate(encoded(ca.renew(peer, request.getCsr().toByteArray())))
                .setCa(ByteString.copyFrom(ca.certificateBytes()))
                .build();
    }

    /// Makes certificates worthless from the next call on, and ends the agent's connection.
    public RevokeCertificateReply revoke(RevokeCertificateRequest request, Caller.Person caller) {
        var host = request.getHost();
        var serials =
                request.getSerial().isEmpty()
                        ? ca.issuedTo(host).stream().map(BigInteger::toString).toList()
                        : List.of(request.getSerial());
        if (serials.isEmpty()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "this controller gave no certificate to %s that is still valid"
                            .formatted(host));
        }
        for (var serial : serials) {
            var id = request.getRequestId().isEmpty() ? "" : request.getRequestId() + serial;
            var result =
                    proposals.decide(
                            at -> new Command.RevokeCertificate(at, id, caller.actor(), serial));
            if (!(result instanceof Result.Done)) {
                throw SpurErrors.unexpected(result);
            }
        }
        LOG.atInfo()
                .addKeyValue("host", host)
                .addKeyValue("by", caller.actor().userName())
                .addKeyValue("serials", serials)
                .log("certificates revoked");
        if (!host.isEmpty()) {
            expelled.disconnect(host);
        }
        return RevokeCertificateReply.newBuilder().addAllSerials(serials).build();
    }

    /// The same words for every reason: whoever guesses learns nothing.
    private static SpurException refused() {
        return new SpurException(
                ErrorCode.UNKNOWN_TOKEN,
                "the join token is unknown, used or expired. Ask an administrator for a new one (spur token join)");
    }

    private static ByteString encoded(X509Certificate certificate) {
        try {
            return ByteString.copyFrom(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate just made must be encodable", e);
        }
    }
}
