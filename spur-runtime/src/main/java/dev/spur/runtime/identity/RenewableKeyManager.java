package dev.spur.runtime.identity;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// Presents whatever certificate the host has at the moment of a handshake.
///
/// The alias is the certificate's serial number: a TLS library that keeps material by alias sees a
/// renewal.
final class RenewableKeyManager extends X509ExtendedKeyManager {
    private final Supplier<HostIdentity.Material> current;

    RenewableKeyManager(Supplier<HostIdentity.Material> current) {
        this.current = current;
    }

    @Override
    public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return new String[] {alias()};
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return Arrays.stream(keyTypes).anyMatch(RenewableKeyManager::fits) ? alias() : null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return chooseClientAlias(keyTypes, issuers, null);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return new String[] {alias()};
    }

    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return fits(keyType) ? alias() : null;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return fits(keyType) ? alias() : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return current.get().chain();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return current.get().key();
    }

    private String alias() {
        return current.get().certificate().getSerialNumber().toString(16);
    }

    /// The host's key is an elliptic curve one; names of key types differ between TLS versions and
    /// libraries.
    private static boolean fits(String keyType) {
        return keyType.startsWith("EC");
    }
}
