package dev.spur.runtime.identity;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// What a host proves itself with: `key.pem`, `cert.pem` and the cluster's `ca.pem` in one
/// directory.
///
/// The key and trust managers given out here follow a renewal by themselves: connections made after
/// it use the new certificate, nothing has to be restarted.
public final class HostIdentity {
    private static final String KEY = "key.pem";
    private static final String CERTIFICATE = "cert.pem";
    private static final String CA = "ca.pem";

    private final Path directory;
    private final X509Certificate ca;
    private volatile Material material;

    /// Key and certificate belong together and change together.
    record Material(PrivateKey key, X509Certificate certificate, X509Certificate ca) {
        X509Certificate[] chain() {
            return new X509Certificate[] {certificate, ca};
        }

        @Override
        public String toString() {
            return "Material[" + certificate.getSerialNumber() + "]";
        }
    }

    private HostIdentity(Path directory, Material material) {
        this.directory = directory;
        this.material = material;
        this.ca = material.ca();
    }

    /// Whether the directory holds an identity, so that a host need not join again.
    public static boolean exists(Path directory) {
        return Files.exists(directory.resolve(CERTIFICATE));
    }

    public static HostIdentity load(Path directory) {
        if (!exists(directory)) {
            throw new IdentityException(
                    "this host is not part of a cluster: %s has no certificate. "
                                    .formatted(directory)
                            + "Ask an administrator for a join token (spur token join) and start the daemon with --token TOKEN");
        }
        return new HostIdentity(directory, read(directory));
    }

    /// Keeps what the controller answered to a certificate request.
    ///
    /// @param certificate the host's certificate, DER
    /// @param ca the cluster's CA certificate, DER
    public static HostIdentity store(Path directory, HostKeys keys, byte[] certificate, byte[] ca) {
        var ours = Pem.certificate(certificate);
        requireSameKey(ours, keys.pair().getPublic());
        return store(directory, keys.pair().getPrivate(), ours, Pem.certificate(ca));
    }

    static HostIdentity store(
            Path directory, PrivateKey key, X509Certificate certificate, X509Certificate ca) {
        requireSigned(certificate, ca);
        SecretFiles.directory(directory);
        // The certificate goes first and comes last: where it is, the other two belong to it.
        SecretFiles.delete(directory.resolve(CERTIFICATE));
        SecretFiles.write(directory.resolve(CA), Pem.of(ca));
        SecretFiles.write(directory.resolve(KEY), Pem.of(key));
        SecretFiles.write(directory.resolve(CERTIFICATE), Pem.of(certificate));
        return new HostIdentity(directory, new Material(key, certificate, ca));
    }

    /// The request for a new certificate, for the same key: so that a renewal replaces one file
    /// only.
    public byte[] renewalRequest() {
        return HostKeys.certificateRequest(
                self().host(), material.key(), material.certificate().getPublicKey());
    }

    /// Takes over a renewed certificate (DER), on disk and for new connections.
    public synchronized void renew(byte[] certificate) {
        var renewed = Pem.certificate(certificate);
        var current = material;
        requireSigned(renewed, ca);
        requireSameKey(renewed, current.certificate().getPublicKey());
        SecretFiles.write(directory.resolve(CERTIFICATE), Pem.of(renewed));
        material = new Material(current.key(), renewed, ca);
    }

    /// Reads the files again, since another process of this host may have renewed them or joined
    /// anew. Another cluster's, and those that are just being written, are left alone.
    ///
    /// @return whether there was anything new
    synchronized boolean takeOver() {
        try {
            var found = read(directory);
            if (found.certificate().equals(material.certificate()) || !found.ca().equals(ca)) {
                return false;
            }
            material = found;
            return true;
        } catch (IdentityException | UncheckedIOException _) {
            return false;
        }
    }

    /// Who this host is, as others see it.
    public PeerHost self() {
        return PeerHost.of(material.certificate());
    }

    public X509Certificate certificate() {
        return material.certificate();
    }

    public X509Certificate ca() {
        return ca;
    }

    /// Whether it was issued by the CA with this fingerprint, which a join token names.
    public boolean isFrom(String caFingerprint) {
        return Pem.fingerprint(ca).equals(caFingerprint);
    }

    public Path directory() {
        return directory;
    }

    /// True from the last third of the certificate's life on.
    public boolean isDueForRenewal(Instant now) {
        var certificate = material.certificate();
        var from = certificate.getNotBefore().toInstant();
        var until = certificate.getNotAfter().toInstant();
        return now.isAfter(until.minus(Duration.between(from, until).dividedBy(3)));
    }

    public X509ExtendedKeyManager keyManager() {
        return new RenewableKeyManager(() -> material);
    }

    public X509ExtendedTrustManager trustManager() {
        return ClusterTrust.of(ca);
    }

    /// For programs that speak TLS by the JDK itself.
    public SSLContext sslContext() {
        try {
            var context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    new X509ExtendedKeyManager[] {keyManager()},
                    new X509ExtendedTrustManager[] {trustManager()},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IdentityException(
                    "cannot set up TLS with the certificates in " + directory, e);
        }
    }

    @Override
    public String toString() {
        return "HostIdentity[" + self() + "]";
    }

    private static Material read(Path directory) {
        var ca = Pem.readCertificate(SecretFiles.read(directory.resolve(CA)));
        var certificate = Pem.readCertificate(SecretFiles.read(directory.resolve(CERTIFICATE)));
        requireSigned(certificate, ca);
        return new Material(
                Pem.readPrivateKey(SecretFiles.read(directory.resolve(KEY))), certificate, ca);
    }

    private static void requireSameKey(X509Certificate certificate, PublicKey key) {
        if (!certificate.getPublicKey().equals(key)) {
            throw new IdentityException(
                    "the controller certified another key than the one this host sent");
        }
    }

    private static void requireSigned(X509Certificate certificate, X509Certificate ca) {
        try {
            certificate.verify(ca.getPublicKey());
        } catch (GeneralSecurityException e) {
            throw new IdentityException(
                    "the host's certificate was not issued by the cluster's CA", e);
        }
    }
}
