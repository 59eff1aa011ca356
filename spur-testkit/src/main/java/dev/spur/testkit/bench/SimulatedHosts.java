package dev.spur.testkit.bench;

import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.HostIdentity;
import dev.spur.runtime.identity.HostKeys;
import dev.spur.runtime.identity.HostRole;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Thousands of hosts that share one process, one key and one TLS context, each with a certificate
/// of its own.
///
/// Which certificate a connection shows follows from the authority it was opened with: the name of
/// the node. A context for each host would cost the simulator more memory than the controller that
/// it measures.
final class SimulatedHosts {
    private final Map<String, X509Certificate> certificates;
    private final X509ExtendedKeyManager shared;
    private final X509Certificate ca;

    private SimulatedHosts(
            Map<String, X509Certificate> certificates,
            X509ExtendedKeyManager shared,
            X509Certificate ca) {
        this.certificates = certificates;
        this.shared = shared;
        this.ca = ca;
    }

    /// @param directory for the key that all of them use
    static SimulatedHosts issue(ClusterCa ca, Path directory, List<String> names) {
        var keys = HostKeys.create();
        var request = keys.certificateRequest(names.getFirst());
        var certificates = new ConcurrentHashMap<String, X509Certificate>();
        names.parallelStream()
                .forEach(name -> certificates.put(name, ca.issue(name, HostRole.COMPUTE, request)));
        try {
            var first = ca.issue(names.getFirst(), HostRole.COMPUTE, request);
            var identity =
                    HostIdentity.store(directory, keys, first.getEncoded(), ca.certificateBytes());
            return new SimulatedHosts(certificates, identity.keyManager(), ca.certificate());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("the CA made a certificate that has no encoding", e);
        }
    }

    SslContext context() throws SSLException {
        return GrpcSslContexts.configure(
                        SslContextBuilder.forClient()
                                .keyManager(new ByNode())
                                .trustManager(new FromTheCa()))
                .build();
    }

    private final class ByNode extends X509ExtendedKeyManager {
        @Override
        public String chooseEngineClientAlias(
                String[] keyTypes, Principal[] issuers, SSLEngine engine) {
            return engine.getPeerHost();
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            var certificate = certificates.get(alias);
            if (certificate == null) {
                throw new IllegalArgumentException("no certificate for " + alias);
            }
            return new X509Certificate[] {certificate, ca};
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return shared.getPrivateKey(alias);
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal[] issuers, Socket socket) {
            return null;
        }
    }

    /// The authority names the client here, so the controller's name cannot be checked against it:
    /// its issuer is.
    private final class FromTheCa extends X509ExtendedTrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            try {
                chain[0].verify(ca.getPublicKey());
            } catch (GeneralSecurityException e) {
                throw new CertificateException("not a host of this cluster", e);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("nobody connects to a simulated host");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[] {ca};
        }
    }
}
