package dev.spur.runtime.identity;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// What all controllers of a cluster have in common and nobody else has: the certificate authority,
/// the keys that sign tokens, the key of launches. A new controller gets them from one that has
/// them.
///
/// @param caKey the CA's key, PEM
/// @param caCertificate the CA's certificate, PEM
/// @param signingKeys by key id
public record ControllerSecrets(
        byte[] caKey, byte[] caCertificate, Map<String, byte[]> signingKeys, byte[] launchKey) {
    public ControllerSecrets {
        signingKeys = Collections.unmodifiableMap(new TreeMap<>(signingKeys));
    }

    /// From the state directory of a controller that serves.
    public static ControllerSecrets read(Path stateDirectory) {
        var ca = ClusterCa.directory(stateDirectory);
        return new ControllerSecrets(
                SecretFiles.read(ca.resolve(ClusterCa.KEY)),
                SecretFiles.read(ca.resolve(ClusterCa.CERTIFICATE)),
                SigningKeys.read(SigningKeys.directory(stateDirectory)),
                SecretFiles.read(LaunchCredentials.file(stateDirectory)));
    }

    /// Keeps them in the state directory of a new controller. Comes to an end with the CA's
    /// certificate: where it is, all of the rest is.
    ///
    /// @param expected the CA by which the new controller knows the cluster
    public void store(Path stateDirectory, java.security.cert.X509Certificate expected) {
        if (!Pem.readCertificate(caCertificate).equals(expected)) {
            throw new IdentityException(
                    "the controller handed over another authority than the one that certified this host");
        }
        SecretFiles.directory(stateDirectory);
        var keys = SigningKeys.directory(stateDirectory);
        SecretFiles.directory(keys);
        signingKeys.forEach((id, key) -> SecretFiles.write(SigningKeys.file(keys, id), key));
        SecretFiles.write(LaunchCredentials.file(stateDirectory), launchKey);
        var ca = ClusterCa.directory(stateDirectory);
        SecretFiles.directory(ca);
        SecretFiles.write(ca.resolve(ClusterCa.KEY), caKey);
        SecretFiles.write(ca.resolve(ClusterCa.CERTIFICATE), caCertificate);
    }

    @Override
    public String toString() {
        return "ControllerSecrets[(redacted)]";
    }
}
