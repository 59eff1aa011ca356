package dev.spur.runtime.identity;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/// A key pair that a host made for itself and that still lacks its certificate. The private key
/// never leaves it.
public final class HostKeys {
    private final KeyPair pair;

    private HostKeys(KeyPair pair) {
        this.pair = pair;
    }

    public static HostKeys create() {
        return new HostKeys(generate());
    }

    /// The certificate request (PKCS #10, DER) to send to the controller.
    public byte[] certificateRequest(String host) {
        return certificateRequest(host, pair.getPrivate(), pair.getPublic());
    }

    static byte[] certificateRequest(String host, PrivateKey privateKey, PublicKey publicKey) {
        try {
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(privateKey);
            var name = new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, host).build();
            return new JcaPKCS10CertificationRequestBuilder(name, publicKey)
                    .build(signer)
                    .getEncoded();
        } catch (OperatorCreationException | IOException e) {
            throw new IdentityException("cannot make a certificate request for " + host, e);
        }
    }

    KeyPair pair() {
        return pair;
    }

    static KeyPair generate() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has the curve P-256", e);
        }
    }
}
