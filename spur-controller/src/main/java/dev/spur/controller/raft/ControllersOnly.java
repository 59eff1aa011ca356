package dev.spur.controller.raft;

import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.IdentityException;
import dev.spur.runtime.identity.PeerHost;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Predicate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Trusts controllers of this cluster and no other of its hosts, nor one that was removed. By role,
/// not by host name: peers may be configured by address.
public final class ControllersOnly extends X509ExtendedTrustManager {
    private final X509TrustManager cluster;
    private final Predicate<PeerHost> isRevoked;

    public ControllersOnly(X509TrustManager cluster, Predicate<PeerHost> isRevoked) {
        this.cluster = cluster;
        this.isRevoked = isRevoked;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        cluster.checkClientTrusted(chain, type);
        requireController(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        cluster.checkServerTrusted(chain, type);
        requireController(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return cluster.getAcceptedIssuers();
    }

    private void requireController(X509Certificate[] chain) throws CertificateException {
        try {
            var peer = PeerHost.of(chain[0]);
            if (peer.role() != HostRole.CONTROLLER) {
                throw new CertificateException(
                        "%s is a %s host, not a controller"
                                .formatted(peer.host(), peer.role().word()));
            }
            if (isRevoked.test(peer)) {
                throw new CertificateException(
                        "the certificate of %s was revoked".formatted(peer.host()));
            }
        } catch (IdentityException e) {
            throw new CertificateException(e);
        }
    }
}
