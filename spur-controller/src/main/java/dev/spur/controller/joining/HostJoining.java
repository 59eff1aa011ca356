package dev.spur.controller.joining;

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
import dev.spur.controller.member.Members;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.JoinToken;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.PeerHost;
import java.math.BigInteger;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public final class HostJoining {
    private static final Logger LOG = LoggerFactory.getLogger(HostJoining.class);
    private static final Duration USUAL = Duration.ofHours(1);

    /// Times of issue are told apart by milliseconds.
    private static final Duration TICK = Duration.ofMillis(1);

    private static final BigInteger ANY = BigInteger.ONE;

    private final Proposals proposals;
    private final ReplicatedState state;
    private final ClusterCa ca;
    private final Members members;
    private final Expelled expelled;
    private final LaunchCredentials credentials;

    /// Told of a host that must not stay connected.
    @FunctionalInterface
    public interface Expelled {
        void disconnect(String host);
    }

    public HostJoining(
            Proposals proposals,
            ReplicatedState state,
            ClusterCa ca,
            Members members,
            Expelled expelled,
            LaunchCredentials credentials) {
        this.credentials = credentials;
        this.expelled = expelled;
        this.proposals = proposals;
        this.state = state;
        this.ca = ca;
        this.members = members;
    }

    public CreateJoinTokenReply createJoinToken(
            CreateJoinTokenRequest request, Caller.Person caller) {
        var role =
                HostRole.of(request.getRole().isEmpty() ? "compute" : request.getRole())
                        .orElseThrow(() ->
                                new SpurException(
                                        ErrorCode.INVALID_REQUEST,
                                        "\"%s\" is not a role of a host: use compute, login, admin, accounting, cloud, cloud-admin or controller"
                                                .formatted(request.getRole())));
        if (role == HostRole.CONTROLLER) {
            members.requireReachable();
            members.refuseTwins(request.getHost());
        }
        var token = JoinToken.of(members.addresses(), ca.fingerprint(), secret(request, caller));
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
                                new dev.spur.engine.credential.IssuedJoinToken(
                                        token.secretHash(),
                                        role.word(),
                                        request.getHost(),
                                        at,
                                        expires,
                                        "",
                                        "")));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
        // A repeated request has its first answer.
        var known = state.snapshot().credentials().joinTokens().get(token.secretHash());
        return CreateJoinTokenReply.newBuilder()
                .setToken(token.reveal())
                .setExpiresMicros(
                        InstantMapper.toMicros(known == null ? expires : known.expiresAt()))
                .build();
    }

    private byte[] secret(CreateJoinTokenRequest request, Caller.Person caller) {
        var id =
                request.getRequestId().isEmpty()
                        ? UUID.randomUUID().toString()
                        : request.getRequestId();
        return credentials.joinSecret(caller.actor().uid() + " " + id);
    }

    /// Open to strangers: the secret is what counts, and it counts once.
    public JoinReply join(JoinRequest request) {
        var hash = JoinToken.hash(request.getSecret());
        var granted =
                Optional.ofNullable(state.snapshot().credentials().joinTokens().get(hash))
                        .orElseThrow(HostJoining::refused);
        var role = HostRole.of(granted.hostRole()).orElseThrow(HostJoining::refused);
        // Tokens die with the revocation of the host for which they were made, used or not.
        if (state.snapshot().credentials().isRevoked(request.getHost(), "", granted.createdAt())) {
            throw refused();
        }
        if (!granted.host().isEmpty() && !granted.host().equals(request.getHost())) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "this join token is for %s, not for %s"
                            .formatted(granted.host(), request.getHost()));
        }
        if (!request.getRole().isEmpty() && !request.getRole().equals(role.word())) {
            throw new SpurException(
                    ErrorCode.ACCESS_DENIED,
                    "this join token is for a host of role %s, not %s"
                            .formatted(role.word(), request.getRole()));
        }
        // Before the secret is used up: a bad request must not cost the token.
        if (role == HostRole.CONTROLLER) {
            members.refuseTwins(request.getHost());
        }
        var certificate = certify(request.getHost(), role, request.getCsr());
        var result =
                proposals.decide(at ->
                        new Command.UseJoinToken(at, hash, request.getHost(), keyOf(certificate)));
        if (!(result instanceof Result.Done)) {
            throw refused();
        }
        record(certificate);
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

    public RenewCertificateReply renew(RenewCertificateRequest request, PeerHost peer) {
        var certificate = certify(peer.host(), peer.role(), request.getCsr());
        record(certificate);
        return RenewCertificateReply.newBuilder()
                .setCertificate(encoded(certificate))
                .setCa(ByteString.copyFrom(ca.certificateBytes()))
                .build();
    }

    /// Its time of issue is behind that of the host's last revocation, however fast one follows the
    /// other.
    private X509Certificate certify(String host, HostRole role, ByteString request) {
        var known =
                state.snapshot().credentials().hosts().get(new PeerHost(host, role, ANY).host());
        var revoked = known == null ? null : known.revokedUntil();
        var now = proposals.now();
        var at = revoked == null || now.isAfter(revoked.plus(TICK)) ? now : revoked.plus(TICK);
        return ca.issue(host, role, request.toByteArray(), at);
    }

    /// Whoever revokes finds the host by name, on whichever controller.
    private void record(X509Certificate certificate) {
        var peer = PeerHost.of(certificate);
        var result =
                proposals.decide(at ->
                        new Command.CertifyHost(
                                at,
                                new HostCertificate(
                                        peer.host(),
                                        peer.role().word(),
                                        peer.issuedAt(),
                                        certificate.getNotAfter().toInstant(),
                                        null)));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }

    /// Makes certificates worthless from the next call on, and ends the agent's connection.
    public RevokeCertificateReply revoke(RevokeCertificateRequest request, Caller.Person caller) {
        var host = request.getHost();
        var id = request.getRequestId();
        var result =
                proposals.decide(at ->
                        request.getSerial().isEmpty()
                                ? new Command.RevokeHost(at, id, caller.actor(), host)
                                : new Command.RevokeCertificate(
                                        at, id, caller.actor(), request.getSerial()));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
        LOG.atInfo()
                .addKeyValue("host", host)
                .addKeyValue("by", caller.actor().userName())
                .addKeyValue("serial", request.getSerial())
                .log("certificates revoked");
        if (!host.isEmpty()) {
            expelled.disconnect(host);
        }
        return RevokeCertificateReply.getDefaultInstance();
    }

    /// The same words for every reason: whoever guesses learns nothing.
    private static SpurException refused() {
        return new SpurException(
                ErrorCode.UNKNOWN_TOKEN,
                "the join token is unknown, used or expired. Ask an administrator for a new one (spur token join)");
    }

    /// By which whoever asks again is known: a name can be chosen, the key to a certificate cannot.
    private static String keyOf(X509Certificate certificate) {
        return JoinToken.hash(HexFormat.of().formatHex(certificate.getPublicKey().getEncoded()));
    }

    private static ByteString encoded(X509Certificate certificate) {
        try {
            return ByteString.copyFrom(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate just made must be encodable", e);
        }
    }
}
