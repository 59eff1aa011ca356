package dev.spur.engine.credential;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Tokens handed out, secrets with which hosts may join, certificates that are no longer good,
/// which hosts have certificates, and for whom the cloud may speak.
///
/// @param pendingLinks by the hash of their code
/// @param linkedUsers by uid
public record Credentials(
        Map<String, IssuedToken> tokens,
        Map<String, IssuedJoinToken> joinTokens,
        List<String> revokedCertificates,
        Map<String, HostCertificate> hosts,
        Map<String, PendingLink> pendingLinks,
        Map<Integer, LinkedUser> linkedUsers) {
    public static final Credentials NONE =
            new Credentials(Map.of(), Map.of(), List.of(), Map.of(), Map.of(), Map.of());

    public Credentials {
        tokens = Collections.unmodifiableMap(new TreeMap<>(tokens));
        joinTokens = Collections.unmodifiableMap(new TreeMap<>(joinTokens));
        revokedCertificates = List.copyOf(revokedCertificates);
        hosts = Collections.unmodifiableMap(new TreeMap<>(hosts));
        pendingLinks = Collections.unmodifiableMap(new TreeMap<>(pendingLinks));
        linkedUsers = Collections.unmodifiableMap(new TreeMap<>(linkedUsers));
    }

    /// Whether a host's certificate is worthless.
    public boolean isRevoked(String host, String serial, Instant issuedAt) {
        var known = hosts.get(host);
        var until = known == null ? null : known.revokedUntil();
        return (until != null && !issuedAt.isAfter(until))
                || (!revokedCertificates.isEmpty() && revokedCertificates.contains(serial));
    }

    public Credentials with(IssuedToken token) {
        var all = new TreeMap<>(tokens);
        all.put(token.id(), token);
        return new Credentials(
                all, joinTokens, revokedCertificates, hosts, pendingLinks, linkedUsers);
    }

    public Credentials with(IssuedJoinToken token) {
        var all = new TreeMap<>(joinTokens);
        all.put(token.secretHash(), token);
        return new Credentials(tokens, all, revokedCertificates, hosts, pendingLinks, linkedUsers);
    }

    public Credentials withRevokedCertificate(String serial) {
        SortedSet<String> all = new TreeSet<>(revokedCertificates);
        all.add(serial);
        return new Credentials(
                tokens, joinTokens, List.copyOf(all), hosts, pendingLinks, linkedUsers);
    }

    public Credentials with(HostCertificate certificate) {
        var all = new TreeMap<>(hosts);
        all.merge(certificate.host(), certificate, HostCertificate::renewed);
        return new Credentials(
                tokens, joinTokens, revokedCertificates, all, pendingLinks, linkedUsers);
    }

    /// Everything that the host has, and the secrets with which it could get something new.
    public Credentials withRevokedHost(HostCertificate revoked) {
        var all = new TreeMap<>(hosts);
        all.put(revoked.host(), revoked);
        var joins = new TreeMap<>(joinTokens);
        joins.values()
                .removeIf(token ->
                        token.host().equals(revoked.host())
                                || token.usedBy().equals(revoked.host()));
        return new Credentials(tokens, joins, revokedCertificates, all, pendingLinks, linkedUsers);
    }

    /// Nobody has more than one that waits.
    public Credentials with(PendingLink link) {
        var all = new TreeMap<>(pendingLinks);
        all.values().removeIf(each -> each.uid() == link.uid());
        all.put(link.codeHash(), link);
        return new Credentials(tokens, joinTokens, revokedCertificates, hosts, all, linkedUsers);
    }

    public Credentials with(LinkedUser user) {
        var all = new TreeMap<>(linkedUsers);
        all.put(user.uid(), user);
        return new Credentials(tokens, joinTokens, revokedCertificates, hosts, pendingLinks, all);
    }

    public Credentials withoutLink(int uid) {
        var users = new TreeMap<>(linkedUsers);
        users.remove(uid);
        var links = new TreeMap<>(pendingLinks);
        links.values().removeIf(each -> each.uid() == uid);
        return new Credentials(tokens, joinTokens, revokedCertificates, hosts, links, users);
    }

    /// Without what expired long ago; the same if there is nothing to leave out, which is so nearly
    /// always when time passes.
    public Credentials withoutExpired(Instant before) {
        Predicate<IssuedToken> deadToken = token -> token.expiresAt().isBefore(before);
        Predicate<IssuedJoinToken> deadJoin = token -> token.expiresAt().isBefore(before);
        Predicate<HostCertificate> deadHost = host -> host.expiresAt().isBefore(before);
        Predicate<PendingLink> deadLink = link -> link.expiresAt().isBefore(before);
        if (tokens.values().stream().noneMatch(deadToken)
                && joinTokens.values().stream().noneMatch(deadJoin)
                && hosts.values().stream().noneMatch(deadHost)
                && pendingLinks.values().stream().noneMatch(deadLink)) {
            return this;
        }
        var live = new TreeMap<>(tokens);
        var joins = new TreeMap<>(joinTokens);
        var certified = new TreeMap<>(hosts);
        live.values().removeIf(deadToken);
        joins.values().removeIf(deadJoin);
        certified.values().removeIf(deadHost);
        var links = new TreeMap<>(pendingLinks);
        links.values().removeIf(deadLink);
        return new Credentials(live, joins, revokedCertificates, certified, links, linkedUsers);
    }
}
