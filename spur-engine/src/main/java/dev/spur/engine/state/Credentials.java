package dev.spur.engine.state;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Tokens handed out, secrets with which hosts may join, certificates that are no longer good, and
/// the feature level that each controller announced.
public record Credentials(
        Map<String, Token> tokens,
        Map<String, JoinToken> joinTokens,
        List<String> revokedCertificates,
        Map<String, Integer> featureLevels) {
    public static final Credentials NONE = new Credentials(Map.of(), Map.of(), List.of(), Map.of());

    public Credentials {
        tokens = Collections.unmodifiableMap(new TreeMap<>(tokens));
        joinTokens = Collections.unmodifiableMap(new TreeMap<>(joinTokens));
        revokedCertificates = List.copyOf(revokedCertificates);
        featureLevels = Collections.unmodifiableMap(new TreeMap<>(featureLevels));
    }

    Credentials with(Token token) {
        var all = new TreeMap<>(tokens);
        all.put(token.id(), token);
        return new Credentials(all, joinTokens, revokedCertificates, featureLevels);
    }

    Credentials with(JoinToken token) {
        var all = new TreeMap<>(joinTokens);
        all.put(token.secretHash(), token);
        return new Credentials(tokens, all, revokedCertificates, featureLevels);
    }

    Credentials withRevokedCertificate(String serial) {
        SortedSet<String> all = new TreeSet<>(revokedCertificates);
        all.add(serial);
        return new Credentials(tokens, joinTokens, List.copyOf(all), featureLevels);
    }

    Credentials withFeatureLevel(String peer, int level) {
        var all = new TreeMap<>(featureLevels);
        all.put(peer, level);
        return new Credentials(tokens, joinTokens, revokedCertificates, all);
    }

    /// Without what expired long ago; the same if there is nothing to leave out.
    Credentials withoutExpired(Instant before) {
        var live = new TreeMap<>(tokens);
        var joins = new TreeMap<>(joinTokens);
        live.values().removeIf(token -> token.expiresAt().isBefore(before));
        joins.values().removeIf(token -> token.expiresAt().isBefore(before));
        return live.size() == tokens.size() && joins.size() == joinTokens.size()
                ? this
                : new Credentials(live, joins, revokedCertificates, featureLevels);
    }
}
