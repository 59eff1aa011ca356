package dev.spur.runtime.identity;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Whom a host believes: certificates of its own cluster's CA and of nobody else.
public final class ClusterTrust {
    private ClusterTrust() {}

    public static X509ExtendedTrustManager of(X509Certificate ca) {
        try {
            var anchors = KeyStore.getInstance("PKCS12");
            anchors.load(null, null);
            anchors.setCertificateEntry("cluster", ca);
            var factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(anchors);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509ExtendedTrustManager.class::isInstance)
                    .map(X509ExtendedTrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (GeneralSecurityException | IOException e) {
            throw new IdentityException("cannot set up trust in the cluster's CA", e);
        }
    }

    /// For a client that has the CA's certificate but no identity of its own: it brings a token.
    public static X509ExtendedTrustManager load(Path caFile) {
        try {
            return of(Pem.readCertificate(java.nio.file.Files.readAllBytes(caFile)));
        } catch (IOException e) {
            throw new IdentityException(
                    "the cluster's CA certificate %s cannot be read".formatted(caFile), e);
        }
    }

    /// For a host that joins: believes a controller whose CA has the fingerprint in the join token.
    /// The controller sends its CA's certificate along in the handshake.
    public static X509ExtendedTrustManager ofFingerprint(String caFingerprint) {
        return new ByFingerprint(caFingerprint);
    }

    private static final class ByFingerprint extends X509ExtendedTrustManager {
        private final String fingerprint;

        ByFingerprint(String fingerprint) {
            this.fingerprint = fingerprint;
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            byFingerprint(chain).checkServerTrusted(chain, authType, socket);
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            byFingerprint(chain).checkServerTrusted(chain, authType, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            byFingerprint(chain).checkServerTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            throw notAServer();
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            throw notAServer();
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            throw notAServer();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }

        /// Picks the CA out of what was sent. That its key signed the rest is then checked as
        /// always.
        private X509ExtendedTrustManager byFingerprint(X509Certificate[] chain)
                throws CertificateException {
            for (var certificate : chain) {
                if (Pem.fingerprint(certificate).equals(fingerprint)) {
                    return of(certificate);
                }
            }
            throw new CertificateException(
                    "this controller does not belong to the cluster that the join token is for: "
                            + "its CA has another fingerprint. Check the address, or ask for a new token");
        }

        private static CertificateException notAServer() {
            return new CertificateException("a joining host accepts no connections");
        }
    }
}
