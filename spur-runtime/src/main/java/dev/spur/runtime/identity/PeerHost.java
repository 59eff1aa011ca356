package dev.spur.runtime.identity;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The host at the other end of a channel, as its certificate states it. Only meaningful for a
/// certificate that the cluster's CA has signed, which the TLS handshake has checked.
public record PeerHost(String host, HostRole role, BigInteger serial) {
    static final String ROLE = "spur:role:";
    static final String HOST = "spur:host:";

    /// With the time before them they make 127 bits at most: serials never meet by chance.
    private static final int RANDOM_BITS = 79;

    private static final int URI = 6; // RFC 5280, GeneralName uniformResourceIdentifier
    private static final Pattern HOST_NAME =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");

    public PeerHost {
        if (!HOST_NAME.matcher(host).matches()) {
            throw new IdentityException(
                    "\"%s\" is not a host name: use letters, digits, dots, hyphens and underscores"
                            .formatted(host));
        }
    }

    /// When the certificate was issued: the first 48 bits of its serial number are milliseconds.
    public Instant issuedAt() {
        return Instant.ofEpochMilli(serial.shiftRight(RANDOM_BITS).longValue());
    }

    static BigInteger serial(Instant issuedAt, SecureRandom random) {
        return BigInteger.valueOf(issuedAt.toEpochMilli())
                .shiftLeft(RANDOM_BITS)
                .or(new BigInteger(RANDOM_BITS, random));
    }

    public static PeerHost of(X509Certificate certificate) {
        var host = single(certificate, HOST);
        var role = single(certificate, ROLE).flatMap(HostRole::of);
        if (host.isEmpty() || role.isEmpty()) {
            throw new IdentityException(
                    "the certificate of %s names no host or role of a Spur cluster"
                            .formatted(certificate.getSubjectX500Principal()));
        }
        return new PeerHost(host.get(), role.get(), certificate.getSerialNumber());
    }

    private static Optional<String> single(X509Certificate certificate, String prefix) {
        var found = uris(certificate).stream().filter(uri -> uri.startsWith(prefix)).toList();
        return found.size() == 1
                ? Optional.of(found.getFirst().substring(prefix.length()))
                : Optional.empty();
    }

    private static List<String> uris(X509Certificate certificate) {
        try {
            var names = certificate.getSubjectAlternativeNames();
            var uris = new ArrayList<String>();
            if (names != null) {
                for (var name : names) {
                    if (name.get(0) instanceof Integer kind
                            && kind == URI
                            && name.get(1) instanceof String uri) {
                        uris.add(uri);
                    }
                }
            }
            return uris;
        } catch (CertificateParsingException e) {
            throw new IdentityException("the certificate's names cannot be read", e);
        }
    }
}
