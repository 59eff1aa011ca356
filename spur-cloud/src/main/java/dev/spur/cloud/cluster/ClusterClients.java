package dev.spur.cloud.cluster;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.api.v1.GetConfigRequest;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.identity.CertificateRenewal;
import dev.spur.runtime.identity.HostIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The controllers, asked in the name of each person, or in that of this host. Tokens are short and
/// for one user; nobody else sees them.
public final class ClusterClients implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// A token is used no more this long before it ends: the call takes time, too.
    private static final Duration SPARE = Duration.ofMinutes(1);

    private static final int MOST_REMEMBERED = 10_000;
    static final String OWN_NAME = "spur-cloud";

    /// As `scontrol show config` has it.
    private static final String UID_RANGE = "CloudUidRange";

    private final Channels channels;
    private final List<HostAndPort> controllers;
    private final TokenSource tokens;
    private final InstantSource clock;
    private final Map<Wanted, Token> remembered = new ConcurrentHashMap<>();
    private final @Nullable CertificateRenewal renewal;
    private volatile UnixAccounts.@Nullable Range uids;

    private record Wanted(UnixAccount account, boolean signedInRecently) {}

    /// A word of the controller's for a user.
    ///
    /// @param role of the user in the cluster
    public record Token(String text, Instant expiresAt, String role) {
        @Override
        public String toString() {
            return "Token[%s]".formatted(expiresAt);
        }
    }

    /// Asks the controller for a token.
    @FunctionalInterface
    interface TokenSource {
        Token issue(ControllerClient host, UnixAccount account, boolean signedInRecently);
    }

    /// By this host's certificate of the role cloud; without one by nothing, where the cluster does
    /// without TLS.
    public ClusterClients(
            @Nullable HostIdentity identity, List<HostAndPort> controllers, InstantSource clock) {
        this(identity, controllers, new IssuedTokens(), clock);
    }

    ClusterClients(
            @Nullable HostIdentity identity,
            List<HostAndPort> controllers,
            TokenSource tokens,
            InstantSource clock) {
        this.channels =
                new Channels(
                        identity == null
                                ? new TransportSecurity.Plain()
                                : new TransportSecurity.Tls(
                                        identity.keyManager(), identity.trustManager()));
        this.controllers = List.copyOf(controllers);
        this.tokens = tokens;
        this.clock = clock;
        this.renewal =
                identity == null
                        ? null
                        : CertificateRenewal.start(
                                identity,
                                JoiningClient.renewals(channels, controllers),
                                channels::reconnect,
                                clock);
    }

    /// In the name of a person.
    ///
    /// @param signedInRecently whether the person proved who they are a moment ago: administrators
    ///   of the cluster have their rights only then
    public ControllerClient as(UnixAccount account, boolean signedInRecently) {
        return client(new CallerIdentity.Bearer(token(account, signedInRecently).text()));
    }

    /// The token itself, for others who ask in the person's name.
    public Token token(UnixAccount account, boolean signedInRecently) {
        var now = clock.instant();
        if (remembered.size() > MOST_REMEMBERED) {
            remembered.values().removeIf(token -> !isGood(token, now));
        }
        var wanted = new Wanted(account, signedInRecently);
        var known = remembered.get(wanted);
        if (known != null && isGood(known, now)) {
            return known;
        }
        var fresh = tokens.issue(asHost(), account, signedInRecently);
        remembered.put(wanted, fresh);
        return fresh;
    }

    private static boolean isGood(Token token, Instant now) {
        return now.isBefore(token.expiresAt().minus(SPARE));
    }

    /// In the cloud's own name, which is a user as its people are: the first of their numbers. It
    /// sees what everybody sees: nodes, partitions, the queue, and when jobs start and end.
    public ControllerClient asCloud() {
        return as(new UnixAccount(uids().first(), OWN_NAME, false), false);
    }

    /// The numbers that the cluster lets the cloud give to people; the first is the cloud's own.
    public UnixAccounts.Range uids() {
        var known = uids;
        if (known == null) {
            var request = GetConfigRequest.getDefaultInstance();
            var values = asHost().call(stub -> stub.getConfig(request)).getValuesMap();
            known = UnixAccounts.Range.parse(values.getOrDefault(UID_RANGE, ""));
            uids = known;
        }
        return known;
    }

    /// In the name of this host: for what only hosts of the cloud may ask.
    public ControllerClient asHost() {
        return client(new CallerIdentity.Host());
    }

    private ControllerClient client(CallerIdentity identity) {
        return ControllerClient.withPatience(channels, controllers, identity, PATIENCE);
    }

    /// Connections, for streams to agents.
    public Channels transport() {
        return channels;
    }

    public List<HostAndPort> controllers() {
        return controllers;
    }

    @Override
    public void close() {
        if (renewal != null) {
            renewal.close();
        }
        channels.close();
    }
}
